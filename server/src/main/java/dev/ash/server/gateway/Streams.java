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
        private final StringBuilder logged = new StringBuilder();
        private final StringBuilder pieces = new StringBuilder(); // told, and not logged yet
        private boolean isLive; // its beginning was seen, so pieces that come are its own
        private boolean callsTool;
        private String stopReason = "";

        private Stream(String id) {
            this.id = id;
        }

        private String told() {
            return logged.toString() + pieces;
        }
    }

    Streams(SessionId session) {
        this.session = session;
    }

    boolean hasEnded(String id) {
        return id.equals(lastEnded);
    }

    /** Whether it was not open before. */
    boolean begin(String id, Telling telling) {
        if (open != null && open.id.equals(id)) {
            return false;
        }
        end("stop", telling);
        open = new Stream(id);
        telling.add(frame("stream_start", payload(id)));
        return true;
    }

    /** A message begins to be made. */
    void beginLive(String id, Telling telling) {
        begin(id, telling);
        if (open != null) {
            open.isLive = true;
        }
    }

    /** Of a text that is being made; of what message, is known only to who saw it begin. */
    void piece(String text, Telling telling) {
        if (open != null && open.isLive) {
            open.pieces.append(text);
            chunk(text, telling);
        }
    }

    /** Of what a tool will be called with. */
    void toolPiece(String json, Telling telling) {
        if (open != null && open.isLive && !json.isEmpty()) {
            telling.add(chunk(open.id, json, true));
        }
    }

    /** A text that is made: tells what was not told in pieces. */
    void whole(String text, Telling telling) {
        if (open == null) {
            return;
        }
        var told = open.pieces.toString();
        open.pieces.setLength(0);
        open.logged.append(text);
        if (text.startsWith(told)) {
            chunk(text.substring(told.length()), telling);
        } else {
            again(telling); // some pieces were missed
        }
    }

    /** Begins the stream that is open anew, with all its text. */
    private void again(Telling telling) {
        if (open != null) {
            telling.add(frame("stream_start", payload(open.id)));
            chunk(open.told(), telling);
        }
    }

    private void chunk(String text, Telling telling) {
        if (open != null && !text.isEmpty()) {
            telling.add(chunk(open.id, text, false));
        }
    }

    void callsTool() {
        if (open != null) {
            open.callsTool = true;
        }
    }

    void stopReason(String reason) {
        if (open != null && open.isLive) {
            open.stopReason = reason;
        }
    }

    /** The message that was being made is made. */
    void endLive(Telling telling) {
        if (open != null && open.isLive) {
            end("stop", telling);
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
        telling.add(
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
        boolean isNew = begin(now.id, telling);
        if (open == null) {
            return;
        }
        var told = open.told();
        open.logged.setLength(0);
        open.logged.append(now.logged);
        open.pieces.append(now.pieces);
        var text = open.told();
        if (text.startsWith(told)) {
            chunk(text.substring(told.length()), telling);
        } else if (!isNew) {
            again(telling);
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
