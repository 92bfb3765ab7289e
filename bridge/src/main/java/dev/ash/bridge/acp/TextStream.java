package dev.ash.bridge.acp;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.protocol.json.RawJson;
import java.util.function.Consumer;

/**
 * Collects the chunks of a message, which the agent does not repeat at its end, and streams them in
 * deltas if requested. Not thread-safe.
 */
final class TextStream {
    /** A longer message is sent in several parts, so that its memory is bounded. */
    private static final int MAX_CHARS = 1024 * 1024;

    /** The kind of a message. */
    enum Kind {
        TEXT("text_delta", "text"),
        THINKING("thinking_delta", "thinking");

        private final String delta;
        private final String field;

        Kind(String delta, String field) {
            this.delta = delta;
            this.field = field;
        }

        private RawJson block(String text) {
            return this == TEXT
                    ? ClaudeMessageFormat.text(text)
                    : ClaudeMessageFormat.thinking(text);
        }
    }

    private final AcpMessages messages;
    private final Consumer<RawJson> out;
    private final boolean sendsPartials;

    private final StringBuilder text = new StringBuilder();
    private Kind kind = Kind.TEXT;
    private String engineId = "";
    private String messageId = "";
    private RawJson lastLine = RawJson.NULL;
    private String lastText = "";

    TextStream(AcpMessages messages, Consumer<RawJson> out, boolean sendsPartials) {
        this.messages = messages;
        this.out = out;
        this.sendsPartials = sendsPartials;
    }

    /** {@code id} is the agent's id of the message; empty if it has none. */
    void add(Kind chunkKind, String id, String chunk, RawJson line) {
        if (chunk.isEmpty()) {
            return;
        }
        if (chunkKind != kind || !id.equals(engineId) || text.length() > MAX_CHARS) {
            flush("end_turn");
        }
        kind = chunkKind;
        engineId = id;
        lastLine = line;
        if (text.isEmpty()) {
            messageId = "msg_" + ClaudeMessageFormat.uuid();
            if (sendsPartials) {
                messages.streamStart(messageId, kind.block("")).forEach(out);
            }
        }
        text.append(chunk);
        if (sendsPartials) {
            out.accept(messages.delta(kind.delta, kind.field, chunk, line));
        }
    }

    /** Sends the collected message. Like Claude Code, sends it before the end of its block. */
    void flush(String stopReason) {
        if (text.isEmpty()) {
            return;
        }
        var complete = text.toString();
        text.setLength(0);
        if (kind == Kind.TEXT) {
            lastText = complete;
        }
        out.accept(messages.assistant(messageId, kind.block(complete), lastLine));
        if (sendsPartials) {
            messages.streamEnd(stopReason).forEach(out);
        }
    }

    /** Returns the last complete text of the model. */
    String lastText() {
        return lastText;
    }
}
