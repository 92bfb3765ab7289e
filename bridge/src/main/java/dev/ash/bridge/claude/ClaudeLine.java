package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;

/** A stdout line of the CLI, parsed one level deep to determine its kind. */
record ClaudeLine(RawJson raw, Kind kind, JsonObject json) {
    enum Kind {
        CONTROL_REQUEST,
        CONTROL_RESPONSE,
        /** The CLI cancels one of its requests. */
        CONTROL_CANCEL,
        /** Ignored, and not sent to the server. */
        CONTROL_OTHER,
        INIT,
        /** Written because partial messages are always enabled; see {@link ClaudeLaunch}. */
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
            // Written from the transcript when the CLI resumes a deferred call.
            case "progress", "attachment" -> Kind.CONTROL_OTHER;
            case "stream_event" -> Kind.PARTIAL;
            case "user" -> Kind.USER;
            case "result" -> Kind.RESULT;
            case "system" -> systemKind(json);
            default -> Kind.OTHER;
        };
    }

    /** Other {@code status} lines, such as compacting, do not depend on partial messages. */
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

    /** Returns whether this is the echo of a prompt, which confirms that the CLI accepted it. */
    boolean echoes(String promptUuid) throws MalformedJsonException {
        return kind == Kind.USER
                && json.isTrue("isReplay")
                && json.string("uuid").orElse("").equals(promptUuid);
    }

    /** Returns whether this is the result of a turn that the CLI started without a prompt. */
    boolean isOfEngineTurn() throws MalformedJsonException {
        var origin = json.object("origin");
        return origin.isPresent() && !origin.get().string("kind").orElse("human").equals("human");
    }
}
