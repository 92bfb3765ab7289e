package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.LoggedEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells the events of a session in the messages that devices know. One for each session that a
 * device follows, for one thread. What does not look as expected is left out: the engine's shapes
 * are its own.
 *
 * <p>A device gets one stream for each message of the assistant. Its text comes as pieces while it
 * is made, and whole once it is logged; whatever was told in pieces is not told again.
 */
final class Narrator {
    private static final int TOOLS_KEPT = 1000;

    private final SessionId session;
    private final ToolNames tools = new ToolNames();
    private @Nullable Stream open;
    private String lastEnded = "";

    /** A message of the assistant that has begun. */
    private static final class Stream {
        private final String id;
        private final StringBuilder pieces = new StringBuilder(); // told, and not logged yet
        private boolean callsTool;
        private String stopReason = "";

        private Stream(String id) {
            this.id = id;
        }
    }

    private static final class ToolNames extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > TOOLS_KEPT;
        }
    }

    Narrator(SessionId session) {
        this.session = session;
    }

    List<GatewayFrame> tell(LoggedEvent event) {
        var frames = new ArrayList<GatewayFrame>();
        try {
            var data = JsonObject.parse(event.data());
            switch (event.type()) {
                case MESSAGE -> message(data, frames);
                case ERROR -> failed(data, frames);
                case DONE -> end(frames, "stop");
                case APPROVAL_REQUIRED -> approval(data.object("approval").orElse(data), frames);
                case HOOK -> hook(data, event.createdAt(), frames);
                case PROMPT, APPROVAL_RESOLVED, NETWORK_BLOCKED, LIFECYCLE -> {}
            }
        } catch (MalformedJsonException e) {
            return frames;
        }
        return frames;
    }

    /** The stream that is open, so that a device that comes in the middle of it has it whole. */
    void resume(String messageId, String textSoFar, List<GatewayFrame> frames) {
        begin(messageId, frames);
        chunk(textSoFar, false, frames);
    }

    private void message(JsonObject data, List<GatewayFrame> frames) throws MalformedJsonException {
        switch (data.string("type").orElse("")) {
            case "stream_event" -> piece(data.object("event").orElse(data), frames);
            case "assistant" -> assistant(data, frames);
            case "user" -> toolResults(data, frames);
            case "result" -> end(frames, data.isTrue("is_error") ? "error" : "stop");
            default -> {}
        }
    }

    private void piece(JsonObject event, List<GatewayFrame> frames) throws MalformedJsonException {
        switch (event.string("type").orElse("")) {
            case "message_start" -> {
                var id = event.object("message").flatMap(Narrator::id);
                if (id.isPresent()) {
                    begin(id.get(), frames);
                }
            }
            case "content_block_delta" -> {
                var delta = event.object("delta");
                if (open != null && delta.isPresent()) {
                    var text = delta.get().string("text");
                    text.ifPresent(open.pieces::append);
                    chunk(text.orElse(""), false, frames);
                    chunk(delta.get().string("partial_json").orElse(""), true, frames);
                }
            }
            case "message_delta" -> {
                var delta = event.object("delta");
                if (open != null && delta.isPresent()) {
                    open.stopReason = delta.get().string("stop_reason").orElse("");
                }
            }
            case "message_stop" -> end(frames, "stop");
            default -> {}
        }
    }

    private static java.util.Optional<String> id(JsonObject message) {
        try {
            return message.string("id");
        } catch (MalformedJsonException e) {
            return java.util.Optional.empty();
        }
    }

    private void assistant(JsonObject data, List<GatewayFrame> frames)
            throws MalformedJsonException {
        var message = data.object("message");
        if (message.isEmpty()) {
            return;
        }
        var id = id(message.get()).orElse(data.string("uuid").orElse(""));
        boolean toldBefore = id.equals(lastEnded);
        if (!toldBefore) {
            begin(id, frames);
        }
        var content = message.get().raw("content").orElse(RawJson.of("[]"));
        for (var element : elements(content)) {
            var block = JsonObject.parse(element);
            switch (block.string("type").orElse("")) {
                case "text" -> {
                    if (!toldBefore) {
                        rest(block.string("text").orElse(""), frames);
                    }
                }
                case "tool_use" -> toolCall(block, frames);
                default -> {}
            }
        }
    }

    /** Content that is plain text is one block of it. */
    private static List<RawJson> elements(RawJson content) throws MalformedJsonException {
        if (content.toString().startsWith("\"")) {
            return List.of(JsonWriter.object().put("type", "text").put("text", content).end());
        }
        return JsonObject.elements(content);
    }

    /** What was not told in pieces. */
    private void rest(String text, List<GatewayFrame> frames) {
        if (open == null) {
            return;
        }
        var told = open.pieces.toString();
        open.pieces.setLength(0);
        chunk(text.startsWith(told) ? text.substring(told.length()) : text, false, frames);
    }

    private void toolCall(JsonObject block, List<GatewayFrame> frames)
            throws MalformedJsonException {
        if (open != null) {
            open.callsTool = true;
        }
        var id = block.string("id").orElse("");
        var tool = block.string("name").orElse("");
        tools.put(id, tool);
        var input = block.raw("input").orElse(RawJson.EMPTY_OBJECT);
        frames.add(
                GatewayFrame.of(
                                "tool_call",
                                payload()
                                        .put("tool_call_id", id)
                                        .put("tool", tool)
                                        .put("params", input)
                                        .put("description", ToolTexts.describe(tool, input)))
                        .withId(id));
    }

    private void toolResults(JsonObject data, List<GatewayFrame> frames)
            throws MalformedJsonException {
        var content = data.object("message").flatMap(message -> message.raw("content"));
        if (content.isEmpty() || content.get().toString().startsWith("\"")) {
            return;
        }
        for (var element : JsonObject.elements(content.get())) {
            var block = JsonObject.parse(element);
            if (block.string("type").orElse("").equals("tool_result")) {
                end(frames, "tool_call");
                var id = block.string("tool_use_id").orElse("");
                frames.add(
                        GatewayFrame.of(
                                "tool_result",
                                payload()
                                        .put("tool_call_id", id)
                                        .put("tool", tools.getOrDefault(id, ""))
                                        .put("result", ToolTexts.result(data, block))));
            }
        }
    }

    private void approval(JsonObject approval, List<GatewayFrame> frames)
            throws MalformedJsonException {
        var id = approval.string("toolUseId").or(() -> optional(approval, "id")).orElse("");
        var tool = approval.string("tool").orElse("");
        var input = approval.raw("input").orElse(RawJson.EMPTY_OBJECT);
        var description = approval.string("description");
        frames.add(
                GatewayFrame.of(
                                "approval_required",
                                payload()
                                        .put("tool_call_id", id)
                                        .put("tool", tool)
                                        .put("params", input)
                                        .put(
                                                "description",
                                                description.isPresent()
                                                        ? description.get()
                                                        : ToolTexts.describe(tool, input))
                                        .put("risk_level", ToolTexts.risk(tool, input).wire())
                                        .put(
                                                "source",
                                                approval.string("source").orElse("agent_sdk")))
                        .withId(id));
    }

    /** An event of an engine in somebody's terminal, by the names that devices know. */
    private void hook(JsonObject body, long at, List<GatewayFrame> frames)
            throws MalformedJsonException {
        var name = body.string("hook_event_name").or(() -> optional(body, "event_type"));
        frames.add(
                GatewayFrame.of(
                        "claude_event",
                        JsonWriter.object()
                                .put("event_type", name.orElse("Unknown"))
                                .put("session_id", session.value())
                                .put("timestamp", Instant.ofEpochMilli(at).toString())
                                .put("payload", HookTexts.payload(body))));
    }

    private static java.util.Optional<String> optional(JsonObject json, String name) {
        try {
            return json.string(name);
        } catch (MalformedJsonException e) {
            return java.util.Optional.empty();
        }
    }

    private void failed(JsonObject data, List<GatewayFrame> frames) throws MalformedJsonException {
        end(frames, "error");
        frames.add(
                GatewayFrame.of(
                        "error",
                        JsonWriter.object()
                                .put("code", "AGENT_ERROR")
                                .put("message", data.string("error").orElse("The agent failed"))
                                .put("session_id", session.value())
                                .put("recoverable", true)));
    }

    private void begin(String id, List<GatewayFrame> frames) {
        if (open != null && open.id.equals(id)) {
            return;
        }
        end(frames, "stop");
        open = new Stream(id);
        frames.add(GatewayFrame.of("stream_start", payload().put("message_id", id)));
    }

    private void chunk(String text, boolean isToolUse, List<GatewayFrame> frames) {
        if (open != null && !text.isEmpty()) {
            frames.add(
                    GatewayFrame.of(
                            "stream_chunk",
                            payload()
                                    .put("message_id", open.id)
                                    .put("content", text)
                                    .put("is_tool_use", isToolUse)));
        }
    }

    /** Ends the stream that is open, for this reason unless the engine gave another. */
    private void end(List<GatewayFrame> frames, String reason) {
        if (open == null) {
            return;
        }
        var known =
                switch (open.stopReason) {
                    case "max_tokens" -> "length";
                    case "tool_use" -> "tool_call";
                    default -> open.callsTool && reason.equals("stop") ? "tool_call" : reason;
                };
        frames.add(
                GatewayFrame.of(
                        "stream_end",
                        payload()
                                .put("message_id", open.id)
                                .put("finish_reason", reason.equals("error") ? reason : known)));
        lastEnded = open.id;
        open = null;
    }

    private JsonWriter payload() {
        return JsonWriter.object().put("session_id", session.value());
    }
}
