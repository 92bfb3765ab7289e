package dev.ash.bridge.codex;

import dev.ash.bridge.engine.ClaudeMessageFormat;
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
 * Translates the items of a thread to messages in Claude's format. An item may outlive its turn,
 * such as a command in the background. The lock keeps messages in order.
 */
final class ItemTranslator {
    private final CodexMessages messages;
    private final Consumer<RawJson> out;

    /** Calls without a result, by their id. */
    private final Map<String, ToolCall> open = new LinkedHashMap<>();

    private List<ToolCall> denied = new ArrayList<>();
    private String streamed = "";
    private String lastText = "";
    private TokenUsage usage = TokenUsage.NONE;
    private boolean sendsPartials;

    ItemTranslator(CodexMessages messages, Consumer<RawJson> out) {
        this.messages = messages;
        this.out = out;
    }

    /** Starts a turn; {@code includePartials} also streams its messages in deltas. */
    synchronized void begin(boolean includePartials) {
        sendsPartials = includePartials;
        denied = new ArrayList<>();
        streamed = "";
        lastText = "";
        usage = TokenUsage.NONE;
    }

    /** Returns the summary of the ended turn. */
    synchronized TurnSummary end(boolean interrupted, long millis) {
        return new TurnSummary(interrupted, millis, usage, lastText, List.copyOf(denied));
    }

    synchronized Optional<ToolCall> openCall(String id) {
        return Optional.ofNullable(open.get(id));
    }

    synchronized List<ToolCall> openCalls() {
        return List.copyOf(open.values());
    }

    synchronized void addUsage(JsonObject last) throws MalformedJsonException {
        usage = usage.plus(last);
    }

    synchronized void started(JsonObject item, String turnId, RawJson line)
            throws MalformedJsonException {
        var call = ToolCall.of(item);
        // The query of a search is known only at its completion.
        if (call.isPresent() && !call.get().tool().equals("WebSearch")) {
            announce(call.get(), turnId, line);
        }
    }

    private void announce(ToolCall call, String turnId, RawJson line) {
        open.put(call.id(), call);
        var block = ClaudeMessageFormat.toolUse(call.id(), call.tool(), call.input());
        out.accept(messages.assistant(call.id(), messageUuid(turnId, call.id()), block, line));
    }

    synchronized void completed(JsonObject item, String turnId, RawJson line)
            throws MalformedJsonException {
        var id = item.string("id").orElse("");
        switch (item.string("type").orElse("")) {
            case "agentMessage" -> {
                lastText = item.string("text").orElse("");
                sendMessage(id, turnId, ClaudeMessageFormat.text(lastText), line);
            }
            case "plan" ->
                    sendMessage(
                            id,
                            turnId,
                            ClaudeMessageFormat.text(item.string("text").orElse("")),
                            line);
            case "reasoning" -> {
                var thinkingText = thinkingText(item);
                if (!thinkingText.isBlank()) {
                    sendMessage(id, turnId, ClaudeMessageFormat.thinking(thinkingText), line);
                }
            }
            case "userMessage" -> {} // the prompt, which clients already have
            default -> completeCall(item, turnId, line);
        }
    }

    private static String thinkingText(JsonObject item) throws MalformedJsonException {
        var summary = String.join("\n\n", item.strings("summary"));
        return summary.isBlank() ? String.join("\n\n", item.strings("content")) : summary;
    }

    /** Like Claude Code, sends the complete message before the end of its block. */
    private void sendMessage(String id, String turnId, RawJson block, RawJson line) {
        out.accept(messages.assistant(id, messageUuid(turnId, id), block, line));
        if (streamed.equals(id)) {
            messages.streamEnd().forEach(out);
            streamed = "";
        }
    }

    private void completeCall(JsonObject item, String turnId, RawJson line)
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

    /** Sends a result for every open call of an interrupted turn. */
    synchronized void interrupted(RawJson line) {
        for (var id : List.copyOf(open.keySet())) {
            out.accept(messages.toolResult(id, ToolResult.interrupted(), line));
        }
        open.clear();
        out.accept(messages.interrupted(line));
    }

    synchronized void textDelta(JsonObject params, RawJson line) throws MalformedJsonException {
        sendDelta(params, "text_delta", "text", ClaudeMessageFormat.text(""), line);
    }

    synchronized void thinkingDelta(JsonObject params, RawJson line) throws MalformedJsonException {
        sendDelta(params, "thinking_delta", "thinking", ClaudeMessageFormat.thinking(""), line);
    }

    private void sendDelta(
            JsonObject params, String type, String field, RawJson empty, RawJson line)
            throws MalformedJsonException {
        if (!sendsPartials) {
            return;
        }
        var id = params.string("itemId").orElse("");
        if (!streamed.equals(id)) {
            streamed = id;
            messages.streamStart(id, empty).forEach(out);
        }
        out.accept(
                messages.delta(type, field, params.raw("delta").orElse(RawJson.string("")), line));
    }

    /** Contains the turn, so that a fork can be truncated there. */
    private static String messageUuid(String turnId, String itemId) {
        return turnId + "/" + itemId;
    }

    /** Returns the turn in the result of {@link #messageUuid}. */
    static String turnOfMessage(String uuid) {
        int slash = uuid.indexOf('/');
        return slash < 0 ? uuid : uuid.substring(0, slash);
    }
}
