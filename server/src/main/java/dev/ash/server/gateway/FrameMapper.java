package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.hooks.Hooks;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Maps the events of a session to frames for devices. Skips engine messages of an unexpected shape,
 * because engines may change their formats. Not thread-safe.
 */
final class FrameMapper {
    private static final int MAX_TOOL_NAMES = 1000;

    private final SessionId session;
    private final MessageStreams streams;
    private final NoticeFrames notices;
    private final BooleanSupplier sessionFailed;
    private final ToolNames tools = new ToolNames();
    private final HookFrameMapper hooks;
    private boolean failed; // in this turn
    private boolean failureSent; // in this turn
    private boolean ended; // the last frame was session_end

    private static final class ToolNames extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MAX_TOOL_NAMES;
        }
    }

    /** {@code sessionFailed} returns whether the session must be resumed before it can continue. */
    FrameMapper(SessionId session, BooleanSupplier sessionFailed) {
        this.session = session;
        this.streams = new MessageStreams(session);
        this.hooks = new HookFrameMapper(session);
        this.notices = new NoticeFrames(session);
        this.sessionFailed = sessionFailed;
    }

    List<TargetedFrame> map(LoggedEvent event) {
        var frames =
                new FrameCollector(event.isTransient() ? "" : session.value() + "/" + event.seq());
        ended = false;
        if (!event.isTransient()) {
            streams.beginEvent();
        }
        try {
            map(event, JsonObject.parse(event.data()), frames);
        } catch (MalformedJsonException e) {
            return frames.collected();
        }
        return frames.collected();
    }

    /** Returns the {@code session_end} of a removed session, unless it was the last frame. */
    List<TargetedFrame> removed() {
        var frames = new FrameCollector("");
        if (!ended) {
            addEnd("user_request", frames);
        }
        return frames.collected();
    }

    /** Updates the state with events that the device has already received. */
    void skip(List<LoggedEvent> events) {
        events.forEach(this::map);
    }

    /** Restarts the open message, of which another connection may have received a part. */
    void restartOpenMessage() {
        streams.restartOpen();
    }

    private void map(LoggedEvent event, JsonObject data, FrameCollector frames)
            throws MalformedJsonException {
        notices.add(event, data, frames);
        switch (event.type()) {
            case PROMPT -> prompt(data, frames);
            case MESSAGE -> message(event, data, frames);
            case ERROR -> failed(data, frames);
            case DONE -> done(frames);
            case APPROVAL_REQUIRED ->
                    approvalRequired(data.object("approval").orElse(data), frames);
            case APPROVAL_RESOLVED ->
                    ApprovalFrames.addResolved(
                            session, data.object("approval").orElse(data), frames);
            case HOOK -> hook(data, event.createdAt(), frames);
            case LIFECYCLE -> lifecycle(data, frames);
            case NETWORK_BLOCKED -> {} // only a notice
        }
    }

    /** Returns the frames that {@code live} has sent beyond the log mapped by this mapper. */
    List<TargetedFrame> catchUpWith(FrameMapper live) {
        var frames = new FrameCollector("");
        streams.catchUpWith(live.streams, frames);
        return frames.collected();
    }

    private void prompt(JsonObject data, FrameCollector frames) {
        frames.addIf(
                Capability.HISTORY,
                GatewayFrame.of(
                        "message",
                        payload()
                                .put("content", data.raw("content").orElse(RawJson.NULL))
                                .put("role", "user")));
    }

    private void done(FrameCollector frames) {
        streams.end("stop", frames);
        if (failed && sessionFailed.getAsBoolean()) {
            addEnd("error", frames);
        }
        failed = false;
        failureSent = false;
    }

    private void message(LoggedEvent event, JsonObject data, FrameCollector frames)
            throws MalformedJsonException {
        switch (data.string("type").orElse("")) {
            case "stream_event" -> partial(data.object("event").orElse(data), frames);
            case "assistant" -> assistant(data, "msg-" + event.seq(), frames);
            case "user" -> toolResults(data, frames);
            case "result" -> result(data, frames);
            default -> {}
        }
    }

    /** Maps a part of a message that is being generated. */
    private void partial(JsonObject event, FrameCollector frames) throws MalformedJsonException {
        var delta = event.object("delta");
        switch (event.string("type").orElse("")) {
            case "message_start" -> {
                var message = event.object("message");
                if (message.isPresent()) {
                    streams.beginLive(message.get().string("id").orElse(""), frames);
                }
            }
            case "content_block_delta" -> {
                if (delta.isPresent()) {
                    streams.textDelta(delta.get().string("text").orElse(""), frames);
                    streams.toolInputDelta(delta.get().string("partial_json").orElse(""), frames);
                }
            }
            case "message_delta" -> {
                if (delta.isPresent()) {
                    streams.setStopReason(delta.get().string("stop_reason").orElse(""));
                }
            }
            case "message_stop" -> streams.endLive(frames);
            default -> {}
        }
    }

    /** {@code fallbackId} is for engines whose messages have no ids. */
    private void assistant(JsonObject data, String fallbackId, FrameCollector frames)
            throws MalformedJsonException {
        var message = data.object("message");
        if (message.isEmpty()) {
            return;
        }
        var id = message.get().string("id").orElse(data.string("uuid").orElse(fallbackId));
        boolean hasEnded = streams.hasEnded(id);
        if (!hasEnded) {
            streams.begin(id, frames);
        }
        var content = message.get().raw("content").orElse(RawJson.of("[]"));
        for (var element : elements(content)) {
            var block = JsonObject.parse(element);
            switch (block.string("type").orElse("")) {
                case "text" -> {
                    if (!hasEnded) {
                        streams.completeText(block.string("text").orElse(""), frames);
                    }
                }
                case "tool_use" -> toolCall(block, frames);
                default -> {}
            }
        }
    }

    /** Returns the blocks of a message; a plain text is one block. */
    private static List<RawJson> elements(RawJson content) throws MalformedJsonException {
        if (content.toString().startsWith("\"")) {
            return List.of(JsonWriter.object().put("type", "text").put("text", content).end());
        }
        return JsonObject.elements(content);
    }

    private void toolCall(JsonObject block, FrameCollector frames) throws MalformedJsonException {
        streams.markToolCall();
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

    private void toolResults(JsonObject data, FrameCollector frames) throws MalformedJsonException {
        var content = data.object("message").flatMap(message -> message.raw("content"));
        if (content.isEmpty() || content.get().toString().startsWith("\"")) {
            return;
        }
        for (var element : JsonObject.elements(content.get())) {
            var block = JsonObject.parse(element);
            if (block.string("type").orElse("").equals("tool_result")) {
                streams.end("tool_call", frames);
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

    private void result(JsonObject data, FrameCollector frames) throws MalformedJsonException {
        streams.end(data.isTrue("is_error") ? "error" : "stop", frames);
        var failure = ResultTexts.failure(data);
        if (failure.isPresent() && !failureSent) {
            addError(failure.get(), frames);
        }
        var used = data.object("usage");
        frames.addIf(
                Capability.USAGE,
                GatewayFrame.of(
                        "usage",
                        payload()
                                .put("cost_usd", data.raw("total_cost_usd").orElse(null))
                                .put("duration_ms", data.raw("duration_ms").orElse(null))
                                .put("turns", data.raw("num_turns").orElse(null))
                                .put(
                                        "input_tokens",
                                        used.flatMap(u -> u.raw("input_tokens")).orElse(null))
                                .put(
                                        "output_tokens",
                                        used.flatMap(u -> u.raw("output_tokens")).orElse(null))));
    }

    private void hook(JsonObject body, long receivedAt, FrameCollector frames)
            throws MalformedJsonException {
        if (hooks.map(body, receivedAt, frames).equals("SessionEnd")) {
            addEnd("completed", frames);
        }
    }

    private void approvalRequired(JsonObject approval, FrameCollector frames)
            throws MalformedJsonException {
        hooks.approvalRequired(approval);
        ApprovalFrames.addRequired(session, approval, frames);
    }

    private void lifecycle(JsonObject data, FrameCollector frames) throws MalformedJsonException {
        switch (data.string("action").orElse("")) {
            case "ended" -> addEnd(data.string("reason").orElse("user_request"), frames);
            case "stopped", "paused" -> addEnd("user_request", frames);
            case "completed" -> addEnd("completed", frames);
            case Hooks.TIMED_OUT -> addEnd("timeout", frames);
            default -> {}
        }
    }

    private void addEnd(String reason, FrameCollector frames) {
        ended = true;
        streams.end("stop", frames);
        frames.add(GatewayFrame.of("session_end", payload().put("reason", reason)));
    }

    private void failed(JsonObject data, FrameCollector frames) throws MalformedJsonException {
        failed = true;
        streams.end("error", frames);
        addError(
                DeviceErrorTexts.ofLogged(data.string("error").orElse("The agent failed")), frames);
    }

    private void addError(String message, FrameCollector frames) {
        failureSent = true;
        frames.add(
                GatewayFrame.of(
                        "error",
                        JsonWriter.object()
                                .put("code", GatewayError.AGENT_ERROR.name())
                                .put("message", message)
                                .put("session_id", session.value())
                                .put("recoverable", GatewayError.AGENT_ERROR.recoverable())));
    }

    private JsonWriter payload() {
        return JsonWriter.object().put("session_id", session.value());
    }
}
