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
 * Tells the events of a session in the messages that devices know, for one thread. What does not
 * look as expected is left out: the engine's shapes are its own.
 */
final class Narrator {
    private static final int TOOLS_KEPT = 1000;

    private final SessionId session;
    private final Streams streams;
    private final NoticeFrames notices;
    private final BooleanSupplier isBroken;
    private final ToolNames tools = new ToolNames();
    private final HookNarrator hooks;
    private boolean failed;
    private boolean failureSent; // in this turn
    private boolean ended; // as far as devices know

    private static final class ToolNames extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > TOOLS_KEPT;
        }
    }

    /** {@code isBroken}: whether the session can only go on if somebody resumes it. */
    Narrator(SessionId session, BooleanSupplier isBroken) {
        this.session = session;
        this.streams = new Streams(session);
        this.hooks = new HookNarrator(session);
        this.notices = new NoticeFrames(session);
        this.isBroken = isBroken;
    }

    List<Told> tell(LoggedEvent event) {
        var telling = new Telling(event.isHint() ? "" : session.value() + "/" + event.seq());
        ended = false;
        try {
            tell(event, JsonObject.parse(event.data()), telling);
        } catch (MalformedJsonException e) {
            return telling.told();
        }
        return telling.told();
    }

    /** The end of a session that was removed, unless it is the last that devices were sent. */
    List<Told> removed() {
        var telling = new Telling("");
        if (!ended) {
            ended("user_request", telling);
        }
        return telling.told();
    }

    /** Learns what was told before this one begins, which is not told again. */
    void heard(List<LoggedEvent> events) {
        events.forEach(this::tell);
    }

    /** What is told next is told to one who may have had an open message in part. */
    void toOneWhoComesBack() {
        streams.forget();
    }

    private void tell(LoggedEvent event, JsonObject data, Telling telling)
            throws MalformedJsonException {
        notices.add(event, data, telling);
        switch (event.type()) {
            case PROMPT -> prompt(data, telling);
            case MESSAGE -> message(event, data, telling);
            case ERROR -> failed(data, telling);
            case DONE -> done(telling);
            case APPROVAL_REQUIRED -> asked(data.object("approval").orElse(data), telling);
            case APPROVAL_RESOLVED ->
                    ApprovalTexts.resolved(session, data.object("approval").orElse(data), telling);
            case HOOK -> hook(data, event.createdAt(), telling);
            case LIFECYCLE -> lifecycle(data, telling);
            case NETWORK_BLOCKED -> {} // only a notice
        }
    }

    /** What a device that was told the log by this one lacks of what {@code live} has told. */
    List<Told> catchUpWith(Narrator live) {
        var telling = new Telling("");
        streams.catchUpWith(live.streams, telling);
        return telling.told();
    }

    /** Others may have said it, and who said it may have forgotten. */
    private void prompt(JsonObject data, Telling telling) {
        telling.only(
                Capability.HISTORY,
                GatewayFrame.of(
                        "message",
                        payload()
                                .put("content", data.raw("content").orElse(RawJson.NULL))
                                .put("role", "user")));
    }

    private void done(Telling telling) {
        streams.end("stop", telling);
        if (failed && isBroken.getAsBoolean()) {
            ended("error", telling);
        }
        failed = false;
        failureSent = false;
    }

    private void message(LoggedEvent event, JsonObject data, Telling telling)
            throws MalformedJsonException {
        switch (data.string("type").orElse("")) {
            case "stream_event" -> piece(data.object("event").orElse(data), telling);
            case "assistant" -> assistant(data, "msg-" + event.seq(), telling);
            case "user" -> toolResults(data, telling);
            case "result" -> result(data, telling);
            default -> {}
        }
    }

    private void piece(JsonObject event, Telling telling) throws MalformedJsonException {
        var delta = event.object("delta");
        switch (event.string("type").orElse("")) {
            case "message_start" -> {
                var message = event.object("message");
                if (message.isPresent()) {
                    streams.beginLive(message.get().string("id").orElse(""), telling);
                }
            }
            case "content_block_delta" -> {
                if (delta.isPresent()) {
                    streams.piece(delta.get().string("text").orElse(""), telling);
                    streams.toolPiece(delta.get().string("partial_json").orElse(""), telling);
                }
            }
            case "message_delta" -> {
                if (delta.isPresent()) {
                    streams.stopReason(delta.get().string("stop_reason").orElse(""));
                }
            }
            case "message_stop" -> streams.endLive(telling);
            default -> {}
        }
    }

    /** {@code ownId} is for engines that give their messages no ids. */
    private void assistant(JsonObject data, String ownId, Telling telling)
            throws MalformedJsonException {
        var message = data.object("message");
        if (message.isEmpty()) {
            return;
        }
        var id = message.get().string("id").orElse(data.string("uuid").orElse(ownId));
        boolean toldBefore = streams.hasEnded(id);
        if (!toldBefore) {
            streams.begin(id, telling);
        }
        var content = message.get().raw("content").orElse(RawJson.of("[]"));
        for (var element : elements(content)) {
            var block = JsonObject.parse(element);
            switch (block.string("type").orElse("")) {
                case "text" -> {
                    if (!toldBefore) {
                        streams.whole(block.string("text").orElse(""), telling);
                    }
                }
                case "tool_use" -> toolCall(block, telling);
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

    private void toolCall(JsonObject block, Telling telling) throws MalformedJsonException {
        streams.callsTool();
        var id = block.string("id").orElse("");
        var tool = block.string("name").orElse("");
        tools.put(id, tool);
        var input = block.raw("input").orElse(RawJson.EMPTY_OBJECT);
        telling.add(
                GatewayFrame.of(
                                "tool_call",
                                payload()
                                        .put("tool_call_id", id)
                                        .put("tool", tool)
                                        .put("params", input)
                                        .put("description", ToolTexts.describe(tool, input)))
                        .withId(id));
    }

    private void toolResults(JsonObject data, Telling telling) throws MalformedJsonException {
        var content = data.object("message").flatMap(message -> message.raw("content"));
        if (content.isEmpty() || content.get().toString().startsWith("\"")) {
            return;
        }
        for (var element : JsonObject.elements(content.get())) {
            var block = JsonObject.parse(element);
            if (block.string("type").orElse("").equals("tool_result")) {
                streams.end("tool_call", telling);
                var id = block.string("tool_use_id").orElse("");
                telling.add(
                        GatewayFrame.of(
                                "tool_result",
                                payload()
                                        .put("tool_call_id", id)
                                        .put("tool", tools.getOrDefault(id, ""))
                                        .put("result", ToolTexts.result(data, block))));
            }
        }
    }

    private void result(JsonObject data, Telling telling) throws MalformedJsonException {
        streams.end(data.isTrue("is_error") ? "error" : "stop", telling);
        var failure = ResultTexts.failure(data);
        if (failure.isPresent() && !failureSent) {
            error(failure.get(), telling);
        }
        var used = data.object("usage");
        telling.only(
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

    private void hook(JsonObject body, long at, Telling telling) throws MalformedJsonException {
        if (hooks.tell(body, at, telling).equals("SessionEnd")) {
            ended("completed", telling);
        }
    }

    private void asked(JsonObject approval, Telling telling) throws MalformedJsonException {
        hooks.asked(approval);
        ApprovalTexts.asked(session, approval, telling);
    }

    private void lifecycle(JsonObject data, Telling telling) throws MalformedJsonException {
        switch (data.string("action").orElse("")) {
            case "ended" -> ended(data.string("reason").orElse("user_request"), telling);
            case "stopped", "paused" -> ended("user_request", telling);
            case "completed" -> ended("completed", telling);
            case Hooks.TIMED_OUT -> ended("timeout", telling);
            default -> {}
        }
    }

    private void ended(String reason, Telling telling) {
        ended = true;
        streams.end("stop", telling);
        telling.add(GatewayFrame.of("session_end", payload().put("reason", reason)));
    }

    private void failed(JsonObject data, Telling telling) throws MalformedJsonException {
        failed = true;
        streams.end("error", telling);
        error(DeviceTexts.ofLogged(data.string("error").orElse("The agent failed")), telling);
    }

    private void error(String message, Telling telling) {
        failureSent = true;
        telling.add(
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
