package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * Maps each message of the assistant to one stream of frames. Text arrives in deltas while it is
 * generated, and completely once it is logged; text that was sent as deltas is not sent again. A
 * second {@code stream_start} of a message replaces the text that a device has received of it.
 */
final class MessageStreams {
    private final SessionId session;
    private @Nullable Stream open;
    private String lastEnded = "";
    private boolean hasNewText; // the last logged event has added text to the open message

    /** The state of an open message. */
    private static final class Stream {
        private final String id;
        private final StringBuilder logged = new StringBuilder();
        private final StringBuilder deltas = new StringBuilder(); // not logged yet
        private boolean isStarted = true; // stream_start was sent on this connection
        private boolean isResent; // before its end, unless it was started by then
        private boolean isLive; // its message_start was received, so deltas belong to it
        private boolean hasToolCall;
        private String stopReason = "";

        private Stream(String id) {
            this.id = id;
        }

        private String text() {
            return logged.toString() + deltas;
        }
    }

    MessageStreams(SessionId session) {
        this.session = session;
    }

    /** Called before each logged event. */
    void beginEvent() {
        hasNewText = false;
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

    /** Begins a message that is being generated. */
    void beginLive(String id, FrameCollector frames) {
        begin(id, frames);
        if (open != null) {
            open.isLive = true;
        }
    }

    /**
     * Marks the open stream as not started on this connection: its next text is preceded by a
     * {@code stream_start} and its text so far. If its text was the last event, it is also sent
     * again before its end: an earlier connection may have sent the {@code stream_start} without
     * the text.
     */
    void restartOpen() {
        if (open != null) {
            open.isStarted = false;
            open.isResent = hasNewText;
        }
    }

    /** Adds a part of a text; ignored unless the beginning of its message was received. */
    void textDelta(String text, FrameCollector frames) {
        if (open != null && open.isLive) {
            add(open, text, false, frames);
            open.deltas.append(text);
        }
    }

    /** Adds a part of the input of a tool call. */
    void toolInputDelta(String json, FrameCollector frames) {
        if (open != null && open.isLive) {
            add(open, json, true, frames);
        }
    }

    /** Adds a complete text, except the part that was sent as deltas. */
    void completeText(String text, FrameCollector frames) {
        if (open == null) {
            return;
        }
        var sent = open.deltas.toString();
        if (text.startsWith(sent)) {
            add(open, text.substring(sent.length()), false, frames);
        } else {
            open.isStarted = false; // deltas were missed: send the whole text again
        }
        open.deltas.setLength(0);
        open.logged.append(text);
        hasNewText = !text.isEmpty();
        startIfNeeded(open, frames);
    }

    void markToolCall() {
        if (open != null) {
            open.hasToolCall = true;
        }
    }

    void setStopReason(String reason) {
        if (open != null && open.isLive) {
            open.stopReason = reason;
        }
    }

    /** Ends a message that was being generated. */
    void endLive(FrameCollector frames) {
        if (open != null && open.isLive) {
            end("stop", frames);
        }
    }

    /** Ends the open stream. The stop reason of the engine takes precedence, except over errors. */
    void end(String reason, FrameCollector frames) {
        if (open == null) {
            return;
        }
        if (open.isResent) {
            startIfNeeded(open, frames);
        }
        var engineReason =
                switch (open.stopReason) {
                    case "max_tokens" -> "length";
                    case "tool_use" -> "tool_call";
                    default -> open.hasToolCall && reason.equals("stop") ? "tool_call" : reason;
                };
        frames.addStream(
                GatewayFrame.of(
                        "stream_end",
                        payload(open.id)
                                .put(
                                        "finish_reason",
                                        reason.equals("error") ? reason : engineReason)));
        lastEnded = open.id;
        open = null;
    }

    /**
     * Adds the frames that {@code live} has sent beyond this one: both have mapped the same log,
     * and {@code live} has also received deltas.
     */
    void catchUpWith(MessageStreams live, FrameCollector frames) {
        var liveStream = live.open;
        if (liveStream == null) {
            end("stop", frames);
            return;
        }
        begin(liveStream.id, frames);
        if (open != null) {
            var sent = open.text();
            var text = liveStream.text();
            if (open.isStarted && text.startsWith(sent)) {
                add(open, text.substring(sent.length()), false, frames);
            } else {
                start(liveStream.id, frames);
                chunk(liveStream.id, text, false, frames);
            }
        }
    }

    private void add(Stream stream, String text, boolean isToolUse, FrameCollector frames) {
        if (!text.isEmpty()) {
            startIfNeeded(stream, frames);
            chunk(stream.id, text, isToolUse, frames);
        }
    }

    /** Starts the stream with its text so far, unless it was started on this connection. */
    private void startIfNeeded(Stream stream, FrameCollector frames) {
        if (!stream.isStarted) {
            stream.isStarted = true;
            start(stream.id, frames);
            chunk(stream.id, stream.text(), false, frames);
        }
    }

    private void start(String id, FrameCollector frames) {
        frames.addStream(GatewayFrame.of("stream_start", payload(id)));
    }

    private void chunk(String id, String text, boolean isToolUse, FrameCollector frames) {
        if (!text.isEmpty()) {
            frames.addStream(
                    GatewayFrame.of(
                            "stream_chunk",
                            payload(id).put("content", text).put("is_tool_use", isToolUse)));
        }
    }

    private JsonWriter payload(String id) {
        return JsonWriter.object().put("session_id", session.value()).put("message_id", id);
    }
}
