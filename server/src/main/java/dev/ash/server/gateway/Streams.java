package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * The stream that a device has for each message of the assistant. Text comes as pieces while it is
 * made, and whole once it is logged; whatever was told in pieces is not told again.
 */
final class Streams {
    private final SessionId session;
    private @Nullable Stream open;
    private String lastEnded = "";

    /** A message of the assistant that has begun. */
    private static final class Stream {
        private final String id;
        private final StringBuilder all = new StringBuilder(); // that was told
        private final StringBuilder pieces = new StringBuilder(); // told, and not logged yet
        private boolean isTold = true; // to this device, on this connection
        private boolean callsTool;
        private String stopReason = "";

        private Stream(String id) {
            this.id = id;
        }
    }

    Streams(SessionId session) {
        this.session = session;
    }

    boolean hasEnded(String id) {
        return id.equals(lastEnded);
    }

    void begin(String id, Telling telling) {
        if (open != null && open.id.equals(id)) {
            return;
        }
        end("stop", telling);
        open = new Stream(id);
        telling.stream(frame("stream_start", payload(id)));
    }

    /**
     * Nothing of the stream that is open was told on this connection. It begins again with its text
     * so far, unless there is nothing more to tell but its end.
     */
    void forget() {
        if (open != null) {
            open.isTold = false;
        }
    }

    private void beginAgain(Stream stream, Telling telling) {
        if (!stream.isTold) {
            stream.isTold = true;
            telling.stream(frame("stream_start", payload(stream.id)));
            if (!stream.all.isEmpty()) {
                telling.stream(chunk(stream.id, stream.all.toString(), false));
            }
        }
    }

    /** Of a text that is being made. */
    void piece(String text, Telling telling) {
        if (open != null) {
            open.pieces.append(text);
            chunk(text, telling);
        }
    }

    /** Of what a tool will be called with. */
    void toolPiece(String json, Telling telling) {
        if (open != null && !json.isEmpty()) {
            beginAgain(open, telling);
            telling.stream(chunk(open.id, json, true));
        }
    }

    /** A text that is made: tells what was not told in pieces. */
    void whole(String text, Telling telling) {
        if (open != null) {
            var told = open.pieces.toString();
            open.pieces.setLength(0);
            chunk(text.startsWith(told) ? text.substring(told.length()) : text, telling);
        }
    }

    private void chunk(String text, Telling telling) {
        if (open != null && !text.isEmpty()) {
            beginAgain(open, telling);
            open.all.append(text);
            telling.stream(chunk(open.id, text, false));
        }
    }

    void callsTool() {
        if (open != null) {
            open.callsTool = true;
        }
    }

    void stopReason(String reason) {
        if (open != null) {
            open.stopReason = reason;
        }
    }

    /** Ends the stream that is open, for this reason unless the engine gave another. */
    void end(String reason, Telling telling) {
        if (open == null) {
            return;
        }
        var known =
                switch (open.stopReason) {
                    case "max_tokens" -> "length";
                    case "tool_use" -> "tool_call";
                    default -> open.callsTool && reason.equals("stop") ? "tool_call" : reason;
                };
        telling.stream(
                frame(
                        "stream_end",
                        payload(open.id)
                                .put("finish_reason", reason.equals("error") ? reason : known)));
        lastEnded = open.id;
        open = null;
    }

    /**
     * Brings a device that was told from the log alone to where {@code live} is, which has told the
     * same log and heard pieces besides.
     */
    void catchUpWith(Streams live, Telling telling) {
        var now = live.open;
        if (now == null) {
            end("stop", telling);
            return;
        }
        begin(now.id, telling);
        if (open != null) {
            beginAgain(open, telling);
            var text = now.all.toString();
            var told = open.all.toString();
            chunk(text.startsWith(told) ? text.substring(told.length()) : "", telling);
        }
    }

    private static GatewayFrame frame(String type, JsonWriter payload) {
        return GatewayFrame.of(type, payload);
    }

    private GatewayFrame chunk(String id, String text, boolean isToolUse) {
        return frame(
                "stream_chunk", payload(id).put("content", text).put("is_tool_use", isToolUse));
    }

    private JsonWriter payload(String id) {
        return JsonWriter.object().put("session_id", session.value()).put("message_id", id);
    }
}
