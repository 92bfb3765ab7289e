package dev.ash.server.event;

import java.util.LinkedHashMap;
import java.util.Map;

/** The names of recently called tools by the id of the call, in a bounded map. */
final class ToolNames extends LinkedHashMap<String, String> {
    private static final long serialVersionUID = 1L;
    private static final int MAX_NAMES = 2000;
    private static final int MAX_CHARS = 256;

    /** Ignores names and ids of implausible length, which would use too much memory. */
    @Override
    public String put(String id, String name) {
        return id.length() > MAX_CHARS || name.length() > MAX_CHARS ? "" : super.put(id, name);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
        return size() > MAX_NAMES;
    }
}
