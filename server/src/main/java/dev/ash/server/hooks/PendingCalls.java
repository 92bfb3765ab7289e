package dev.ash.server.hooks;

import dev.ash.protocol.json.RawJson;
import dev.ash.server.http.Json;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;

/**
 * Tool calls of one terminal that have begun and not ended. Most hooks about a call carry its id;
 * for those that do not, the call with the same tool and the same input is meant, and of several
 * equal ones the oldest.
 */
public final class PendingCalls {
    private static final int MAX_CALLS = 200;
    private static final ObjectWriter SORTED =
            Json.MAPPER.writer().with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    private final Map<String, Call> calls = new BoundedMap(); // by id; guarded by this

    /** What a call is recognized by, and whether a question about it was asked. */
    private record Call(String content, boolean isAsked) {}

    private static final class BoundedMap extends LinkedHashMap<String, Call> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Call> eldest) {
            return size() > MAX_CALLS;
        }
    }

    public synchronized void begun(String id, String tool, RawJson input) {
        calls.putIfAbsent(id, new Call(content(tool, input), false));
    }

    /** The id of the call that is asked about; each of several equal calls is asked about once. */
    public synchronized Optional<String> asked(String tool, RawJson input) {
        var content = content(tool, input);
        var id = first(content, false).or(() -> first(content, true));
        id.ifPresent(found -> calls.put(found, new Call(content, true)));
        return id;
    }

    public synchronized void ended(String id) {
        calls.remove(id);
    }

    /** The same for a call whose id is not known; returns its id. */
    public synchronized Optional<String> ended(String tool, RawJson input) {
        var content = content(tool, input);
        var id = first(content, true).or(() -> first(content, false));
        id.ifPresent(calls::remove);
        return id;
    }

    public synchronized void clear() {
        calls.clear();
    }

    private Optional<String> first(String content, boolean isAsked) {
        return calls.entrySet().stream()
                .filter(call -> call.getValue().equals(new Call(content, isAsked)))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Equal for inputs that differ in nothing but the order of their fields and in spaces. */
    private static String content(String tool, RawJson input) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return tool + " " + HexFormat.of().formatHex(digest.digest(sorted(input)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] sorted(RawJson input) {
        try {
            return SORTED.writeValueAsBytes(Json.MAPPER.readValue(input.toBytes(), Object.class));
        } catch (JacksonException e) {
            return input.toBytes(); // deeper than the parser goes, for example
        }
    }
}
