package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;

/** A stdout line of the CLI, looked at just enough to know what to do with it. */
record ClaudeLine(RawJson raw, Kind kind, JsonObject json) {
    enum Kind {
        CONTROL_REQUEST,
        CONTROL_RESPONSE,
        /** The CLI does not wait for one of its requests any more. */
        CONTROL_CANCEL,
        /** The bridge's own affair, with nothing to do. */
        CONTROL_OTHER,
        INIT,
        /** Only there because partial messages are always on; see {@link ClaudeLaunch}. */
        PARTIAL,
        USER,
        RESULT,
        OTHER
    }

    static ClaudeLine of(RawJson raw) throws MalformedJsonException {
        var json = JsonObject.parse(raw);
        return new ClaudeLine(raw, kind(json), json);
    }

    private static Kind kind(JsonObject json) throws MalformedJsonException {
        return switch (json.string("type").orElse("")) {
            case "control_request" -> Kind.CONTROL_REQUEST;
            case "control_response" -> Kind.CONTROL_RESPONSE;
            case "control_cancel_request" -> Kind.CONTROL_CANCEL;
            case "keep_alive", "transcript_mirror" -> Kind.CONTROL_OTHER;
            // Of its transcript, and only where it takes up a call that was laid aside.
            case "progress", "attachment" -> Kind.CONTROL_OTHER;
            case "stream_event" -> Kind.PARTIAL;
            case "user" -> Kind.USER;
            case "result" -> Kind.RESULT;
            case "system" -> systemKind(json);
            default -> Kind.OTHER;
        };
    }

    /** Other {@code status} lines, such as compacting, come whether partials are on or not. */
    private static Kind systemKind(JsonObject json) throws MalformedJsonException {
        return switch (json.string("subtype").orElse("")) {
            case "init" -> Kind.INIT;
            case "status" ->
                    json.string("status").orElse("").equals("requesting")
                            ? Kind.PARTIAL
                            : Kind.OTHER;
            default -> Kind.OTHER;
        };
    }

    Optional<String> sessionId() throws MalformedJsonException {
        return json.string("session_id");
    }

    /** Whether this repeats a prompt of ours, which says that the CLI has taken it up. */
    boolean echoes(String promptUuid) throws MalformedJsonException {
        return kind == Kind.USER
                && json.isTrue("isReplay")
                && json.string("uuid").orElse("").equals(promptUuid);
    }

    /** Whether this is the result of a turn that no person prompted. */
    boolean ofOwnTurn() throws MalformedJsonException {
        var origin = json.object("origin");
        return origin.isPresent() && !origin.get().string("kind").orElse("human").equals("human");
    }
}
