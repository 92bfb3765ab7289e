package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * Maps each message of the assistant to one stream. Text arrives in pieces while it is generated,
 * and whole once it is logged; what was sent in pieces is not sent again. A stream that starts a
 * second time replaces what a device has of it.
 */
final class MessageStreams {
    private final SessionId session;
    private @Nullable Stream open;
    private String lastEnded = "";

    /** A message of the assistant that has begun. */
    private static final class Stream {
        private final String id;
        private final StringBuilder logged = new StringBuilder();
        private final StringBuilder pieces = new StringBuilder(); // not logged yet
        private boolean isTold = true; // to this device, on this connection
        private boolean isLive; // its beginning was seen, so pieces that come are its own
        private boolean callsTool;
        private String stopReason = "";

        private Stream(String id) {
            this.id = id;
        }

        private String text() {
            return logged.toString() + pieces;
        }
    }

    MessageStreams(SessionId session) {
        this.session = session;
    }

    boolean hasEnded(String id) {
        return id.equals(lastEnded);
    }

    void begin(String id, FrameCollector frames) {
        if (open == null || !open.id.equals(id)) {
            end("stop", frames);
            open = new Stream(id);
            start(id, frames);
        }
    }

    /** A message begins to be made. */
    void beginLive(String id, FrameCollector frames) {
        begin(id, frames);
        if (open != null) {
            open.isLive = true;
        }
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

    /** Of a text that is being made; of what message, is known only to who saw it begin. */
    void piece(String text, FrameCollector frames) {
        if (open != null && open.isLive) {
            tell(open, text, false, frames);
            open.pieces.append(text);
        }
    }

    /** Of what a tool will be called with. */
    void toolPiece(String json, FrameCollector frames) {
        if (open != null && open.isLive) {
            tell(open, json, true, frames);
        }
    }

    /** A text that is made: tells what was not told in pieces. */
    void whole(String text, FrameCollector frames) {
        if (open == null) {
            return;
        }
        var told = open.pieces.toString();
        if (text.startsWith(told)) {
            tell(open, text.substring(told.length()), false, frames);
        } else {
            open.isTold = false; // some pieces were missed
        }
        open.pieces.setLength(0);
        open.logged.append(text);
        again(open, frames);
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
    void endLive(FrameCollector frames) {
        if (open != null && open.isLive) {
            end("stop", frames);
        }
    }

    /** Ends the stream that is open, for this reason unless the engine gave another. */
    void end(String reason, FrameCollector frames) {
        if (open == null) {
            return;
        }
        var known =
                switch (open.stopReason) {
                    case "max_tokens" -> "length";
                    case "tool_use" -> "tool_call";
                    default -> open.callsTool && reason.equals("stop") ? "tool_call" : reason;
                };
        frames.stream(
                GatewayFrame.of(
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
    void catchUpWith(MessageStreams live, FrameCollector frames) {
        var now = live.open;
        if (now == null) {
            end("stop", frames);
            return;
        }
        begin(now.id, frames);
        if (open != null) {
            var told = open.text();
            var text = now.text();
            if (open.isTold && text.startsWith(told)) {
                tell(open, text.substring(told.length()), false, frames);
            } else {
                start(now.id, frames);
                chunk(now.id, text, false, frames);
            }
        }
    }

    private void tell(Stream stream, String text, boolean isToolUse, FrameCollector frames) {
        if (!text.isEmpty()) {
            again(stream, frames);
            chunk(stream.id, text, isToolUse, frames);
        }
    }

    /** Begins the stream anew, with its text so far, unless this device has it. */
    private void again(Stream stream, FrameCollector frames) {
        if (!stream.isTold) {
            stream.isTold = true;
            start(stream.id, frames);
            chunk(stream.id, stream.text(), false, frames);
        }
    }

    private void start(String id, FrameCollector frames) {
        frames.stream(GatewayFrame.of("stream_start", payload(id)));
    }

    private void chunk(String id, String text, boolean isToolUse, FrameCollector frames) {
        if (!text.isEmpty()) {
            frames.stream(
                    GatewayFrame.of(
                            "stream_chunk",
                            payload(id).put("content", text).put("is_tool_use", isToolUse)));
        }
    }

    private JsonWriter payload(String id) {
        return JsonWriter.object().put("session_id", session.value()).put("message_id", id);
    }
}
