package dev.ash.server.http;

import dev.ash.protocol.rest.Approval;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Describes the frames of event streams in the OpenAPI document, each with the schema of its data.
 */
final class StreamSchemas {
    private static final String SESSION =
            """
            Server-sent events. Each frame is `event:`, `data:` (one line of JSON) and, if the event is stored, `id:`. A client \
            needs only `message`, `error` and `done`, and `approval_required` in sessions that ask. All other frames are derived \
            from the message that follows them and have no id. `error` is followed by `done`, unless it has no id: then the API \
            key was revoked or has expired. Ignore frames with an unknown event. `x-ash-frames` has the schema of each frame's \
            data.""";

    private static final String PAIR =
            """
            Server-sent events. Each frame is `event: pair`, `data:` (one line of JSON) and `id:`. `x-ash-frames` has the schema \
            of the data.""";

    /** Returns the content of {@code text/event-stream} of an endpoint. */
    static Map<String, Object> content(Endpoint endpoint, Schemas schemas) {
        boolean isPair = endpoint.path().startsWith("/api/pairs");
        var content = new LinkedHashMap<String, Object>();
        content.put(
                "schema",
                Schemas.ordered("type", "string", "description", isPair ? PAIR : SESSION));
        content.put("x-ash-frames", isPair ? ofPair(schemas) : ofSession(endpoint, schemas));
        return content;
    }

    private static Map<String, Object> ofPair(Schemas schemas) {
        return Map.of("pair", schemas.handWritten("StreamPairEvent"));
    }

    private static Map<String, Object> ofSession(Endpoint endpoint, Schemas schemas) {
        var frames = new LinkedHashMap<String, Object>();
        frames.put("session_start", schemas.handWritten("StreamStart"));
        frames.put("message", schemas.handWritten("EngineMessage"));
        frames.put("error", schemas.handWritten("StreamError"));
        frames.put("done", schemas.handWritten("StreamDone"));
        frames.put("text_delta", schemas.handWritten("StreamDelta"));
        frames.put("thinking_delta", schemas.handWritten("StreamDelta"));
        frames.put("input_json_delta", schemas.handWritten("StreamInputDelta"));
        frames.put("deltas_skipped", schemas.handWritten("StreamDeltasSkipped"));
        frames.put("tool_use", schemas.handWritten("StreamToolUse"));
        frames.put("tool_result", schemas.handWritten("StreamToolResult"));
        frames.put("turn_complete", schemas.handWritten("StreamTurnComplete"));
        frames.put("approval_required", schemas.of(Approval.class));
        frames.put("approval_resolved", schemas.of(Approval.class));
        frames.put("network_blocked", schemas.handWritten("StreamNetworkBlocked"));
        frames.put("notice", schemas.handWritten("StreamNotice"));
        if (endpoint.path().endsWith("/stream")) {
            frames.put("prompt", schemas.handWritten("StreamPrompt"));
        }
        return frames;
    }

    private StreamSchemas() {}
}
