package dev.ash.server.event;

import java.util.LinkedHashMap;
import java.util.Map;

/** The names of the tools that were called last, by the id of the call. */
final class ToolNames extends LinkedHashMap<String, String> {
    private static final long serialVersionUID = 1L;
    private static final int MAX_NAMES = 2000;
    private static final int MAX_CHARS = 256;

    /** What no engine would send is not kept: it would be as long as the engine likes. */
    @Override
    public String put(String id, String name) {
        return id.length() > MAX_CHARS || name.length() > MAX_CHARS ? "" : super.put(id, name);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
        return size() > MAX_NAMES;
    }
}
