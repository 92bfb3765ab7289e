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
 * The tool calls in progress of one terminal. Most hook events contain the id of their call; others
 * are matched to the oldest call with the same tool and input. Thread-safe.
 */
public final class PendingCalls {
    private static final int MAX_CALLS = 200;
    private static final ObjectWriter SORTED =
            Json.MAPPER.writer().with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    private final Map<String, Call> calls = new BoundedMap(); // by id; guarded by this

    /** A digest of tool and input, and whether a question about the call was asked. */
    private record Call(String digest, boolean isAsked) {}

    private static final class BoundedMap extends LinkedHashMap<String, Call> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Call> eldest) {
            return size() > MAX_CALLS;
        }
    }

    public synchronized void start(String id, String tool, RawJson input) {
        calls.putIfAbsent(id, new Call(digest(tool, input), false));
    }

    /** Returns the id of the call that a question is about; matches each equal call once. */
    public synchronized Optional<String> matchQuestion(String tool, RawJson input) {
        var digest = digest(tool, input);
        var id = first(digest, false).or(() -> first(digest, true));
        id.ifPresent(found -> calls.put(found, new Call(digest, true)));
        return id;
    }

    public synchronized void finish(String id) {
        calls.remove(id);
    }

    /** Finishes a call whose id is unknown; returns its id. */
    public synchronized Optional<String> finish(String tool, RawJson input) {
        var digest = digest(tool, input);
        var id = first(digest, true).or(() -> first(digest, false));
        id.ifPresent(calls::remove);
        return id;
    }

    public synchronized void clear() {
        calls.clear();
    }

    private Optional<String> first(String digest, boolean isAsked) {
        return calls.entrySet().stream()
                .filter(call -> call.getValue().equals(new Call(digest, isAsked)))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Ignores the order of fields and whitespace. */
    private static String digest(String tool, RawJson input) {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            return tool + " " + HexFormat.of().formatHex(sha256.digest(sorted(input)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] sorted(RawJson input) {
        try {
            return SORTED.writeValueAsBytes(Json.MAPPER.readValue(input.toBytes(), Object.class));
        } catch (JacksonException e) {
            return input.toBytes(); // for example nested too deeply for the parser
        }
    }
}
