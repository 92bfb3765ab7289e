package dev.ash.bridge.codex;

import dev.ash.bridge.engine.MessageShapes;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The items of a thread as Claude's messages. An item may outlast its turn, as a command does that
 * goes on in the background. Its monitor keeps messages in order.
 */
final class Translation {
    private final CodexMessages messages;
    private final Consumer<RawJson> out;

    /** Calls without a result, by their id. */
    private final Map<String, ToolCall> open = new LinkedHashMap<>();

    private List<ToolCall> denied = new ArrayList<>();
    private String streamed = "";
    private String text = "";
    private TokenUsage usage = TokenUsage.NONE;
    private boolean partial;

    Translation(CodexMessages messages, Consumer<RawJson> out) {
        this.messages = messages;
        this.out = out;
    }

    /** {@code wantsPartial}: whether this turn wants its messages in pieces too. */
    synchronized void begin(boolean wantsPartial) {
        partial = wantsPartial;
        denied = new ArrayList<>();
        streamed = "";
        text = "";
        usage = TokenUsage.NONE;
    }

    /** What a turn that is over came to. */
    synchronized TurnEnd end(boolean interrupted, long millis) {
        return new TurnEnd(interrupted, millis, usage, text, List.copyOf(denied));
    }

    synchronized Optional<ToolCall> openCall(String id) {
        return Optional.ofNullable(open.get(id));
    }

    synchronized List<ToolCall> openCalls() {
        return List.copyOf(open.values());
    }

    synchronized void used(JsonObject last) throws MalformedJsonException {
        usage = usage.plus(last);
    }

    synchronized void started(JsonObject item, String turnId, RawJson line)
            throws MalformedJsonException {
        var call = ToolCall.of(item);
        // What is searched for is known only when it was found.
        if (call.isPresent() && !call.get().tool().equals("WebSearch")) {
            announce(call.get(), turnId, line);
        }
    }

    private void announce(ToolCall call, String turnId, RawJson line) {
        open.put(call.id(), call);
        var block = MessageShapes.toolUse(call.id(), call.tool(), call.input());
        out.accept(messages.assistant(call.id(), name(turnId, call.id()), block, line));
    }

    synchronized void completed(JsonObject item, String turnId, RawJson line)
            throws MalformedJsonException {
        var id = item.string("id").orElse("");
        switch (item.string("type").orElse("")) {
            case "agentMessage" -> {
                text = item.string("text").orElse("");
                said(id, turnId, MessageShapes.text(text), line);
            }
            case "plan" ->
                    said(id, turnId, MessageShapes.text(item.string("text").orElse("")), line);
            case "reasoning" -> {
                var thought = thought(item);
                if (!thought.isBlank()) {
                    said(id, turnId, MessageShapes.thinking(thought), line);
                }
            }
            case "userMessage" -> {} // the prompt, which everybody has
            default -> called(item, turnId, line);
        }
    }

    private static String thought(JsonObject item) throws MalformedJsonException {
        var summary = String.join("\n\n", item.strings("summary"));
        return summary.isBlank() ? String.join("\n\n", item.strings("content")) : summary;
    }

    /** As Claude Code does, the whole message comes before the end of its block. */
    private void said(String id, String turnId, RawJson block, RawJson line) {
        out.accept(messages.assistant(id, name(turnId, id), block, line));
        if (streamed.equals(id)) {
            messages.finished().forEach(out);
            streamed = "";
        }
    }

    private void called(JsonObject item, String turnId, RawJson line)
            throws MalformedJsonException {
        var call = ToolCall.of(item);
        if (call.isEmpty()) {
            var type = item.string("type").orElse("");
            out.accept(messages.update("item/completed/" + type, line));
            return;
        }
        var id = call.get().id();
        if (call.get().tool().equals("WebSearch")) {
            announce(call.get(), turnId, line);
        }
        var begun = open.remove(id);
        if (begun != null) {
            var result = ToolResult.of(item);
            if (result.isDeclined()) {
                denied.add(begun);
            }
            out.accept(messages.toolResult(id, result, line));
        }
    }

    /** No call stays without a result when the turn that made it was interrupted. */
    synchronized void interrupted(RawJson line) {
        for (var id : List.copyOf(open.keySet())) {
            out.accept(messages.toolResult(id, ToolResult.interrupted(), line));
        }
        open.clear();
        out.accept(messages.interrupted(line));
    }

    synchronized void textDelta(JsonObject params, RawJson line) throws MalformedJsonException {
        piece(params, "text_delta", "text", MessageShapes.text(""), line);
    }

    synchronized void thinkingDelta(JsonObject params, RawJson line) throws MalformedJsonException {
        piece(params, "thinking_delta", "thinking", MessageShapes.thinking(""), line);
    }

    private void piece(JsonObject params, String type, String field, RawJson empty, RawJson line)
            throws MalformedJsonException {
        if (!partial) {
            return;
        }
        var id = params.string("itemId").orElse("");
        if (!streamed.equals(id)) {
            streamed = id;
            messages.begun(id, empty).forEach(out);
        }
        out.accept(
                messages.delta(type, field, params.raw("delta").orElse(RawJson.string("")), line));
    }

    /** Says its turn too, so that a fork can be cut there. */
    private static String name(String turnId, String itemId) {
        return turnId + "/" + itemId;
    }

    /** The turn of a message that {@link #name} named. */
    static String turnOf(String uuid) {
        int slash = uuid.indexOf('/');
        return slash < 0 ? uuid : uuid.substring(0, slash);
    }
}
