package dev.ash.bridge.acp;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Translates the updates of one turn to messages in Claude's format. The lock keeps messages in
 * order: decisions about calls arrive in other threads.
 */
final class AcpTranslator {
    /** More calls in one turn are not tracked: their updates are forwarded unchanged. */
    private static final int MAX_CALLS = 10_000;

    private static final int MAX_ID_CHARS = 256;

    /** Updates that repeat what the server sent, or that are useless to clients. */
    private static final Set<String> IGNORED =
            Set.of(
                    "user_message_chunk",
                    "available_commands_update",
                    "current_mode_update",
                    "config_option_update",
                    "session_info_update");

    private final AcpMessages messages;
    private final ToolNames names;
    private final Consumer<RawJson> out;
    private final TextStream text;

    private final Map<String, AcpCall> calls = new LinkedHashMap<>();
    private final List<AcpToolUse> denied = new ArrayList<>();
    private AcpContextUsage context;
    private int announcedCalls;
    private int plans;
    private boolean managesTodos;
    private boolean spokeAfterDenial;

    /** {@code sendsPartials} also streams messages in deltas. */
    AcpTranslator(
            AcpMessages messages,
            ToolNames names,
            AcpContextUsage context,
            boolean sendsPartials,
            Consumer<RawJson> out) {
        this.messages = messages;
        this.names = names;
        this.context = context;
        this.out = out;
        this.text = new TextStream(messages, out, sendsPartials);
    }

    /** Sends the first message of the turn; {@code line} is the response that opened the agent. */
    synchronized void begin(String workspace, boolean asks, RawJson line) {
        out.accept(messages.init(workspace, asks, line));
    }

    synchronized void update(JsonObject update, RawJson line) throws MalformedJsonException {
        var kind = update.string("sessionUpdate").orElse("");
        switch (kind) {
            case "agent_message_chunk" -> chunk(TextStream.Kind.TEXT, update, line);
            case "agent_thought_chunk" -> chunk(TextStream.Kind.THINKING, update, line);
            case "tool_call", "tool_call_update" -> call(update, line);
            case "plan" -> plan(update, line);
            case "usage_update" -> context = AcpContextUsage.of(update);
            default -> {
                if (!IGNORED.contains(kind)) {
                    out.accept(messages.update(kind, line));
                }
            }
        }
    }

    private void chunk(TextStream.Kind kind, JsonObject update, RawJson line)
            throws MalformedJsonException {
        var content = update.object("content");
        if (content.isPresent()) {
            var id = update.string("messageId").orElse("");
            text.add(kind, id, AcpToolResult.blockText(content.get()), line);
            spokeAfterDenial |= kind == TextStream.Kind.TEXT;
        }
    }

    private void call(JsonObject update, RawJson line) throws MalformedJsonException {
        var call = track(update);
        if (call == null) {
            out.accept(messages.update("tool_call", line));
            return;
        }
        if (call.isClosed()) {
            return;
        }
        call.update(update);
        if (call.hasCompleteInput()) {
            announce(call, line);
        }
        if (call.isFinished()) {
            close(call, AcpToolResult.of(call), line);
        }
    }

    private @Nullable AcpCall track(JsonObject update) throws MalformedJsonException {
        var id = update.string("toolCallId").orElse("");
        if (id.isEmpty() || id.length() > MAX_ID_CHARS) {
            throw new MalformedJsonException(
                    "expected a toolCallId of 1 to %d characters".formatted(MAX_ID_CHARS));
        }
        var known = calls.get(id);
        if (known != null || calls.size() >= MAX_CALLS) {
            return known;
        }
        var call = new AcpCall(id);
        calls.put(id, call);
        return call;
    }

    private void announce(AcpCall call, RawJson line) throws MalformedJsonException {
        if (call.announced() != null) {
            return;
        }
        var use = ToolInputs.convert(call, names);
        call.announce(use);
        managesTodos |= use.tool().equals(ToolNames.TODO);
        sendToolUse(use, line);
    }

    private void sendToolUse(AcpToolUse use, RawJson line) {
        announcedCalls++;
        text.flush("tool_use");
        var block = ClaudeMessageFormat.toolUse(use.id(), use.tool(), use.input());
        out.accept(messages.assistant("msg_" + ClaudeMessageFormat.uuid(), block, line));
    }

    private void close(AcpCall call, AcpToolResult result, RawJson line) {
        call.close();
        out.accept(messages.toolResult(call.id(), result, line));
    }

    /** An agent reports its list as a whole; one with a tool for it has already reported it. */
    private void plan(JsonObject update, RawJson line) throws MalformedJsonException {
        if (managesTodos) {
            return;
        }
        var json = JsonWriter.object().name("todos").open('[');
        for (var entry : AcpToolResult.objects(update.raw("entries").orElse(null))) {
            var content = entry.string("content").orElse("");
            json.open('{').put("content", content);
            json.put("status", entry.string("status").orElse("pending"));
            json.put("activeForm", content).close('}');
        }
        var use = new AcpToolUse("plan_" + ++plans, ToolNames.TODO, json.close(']').end());
        sendToolUse(use, line);
        var result = AcpToolResult.text("The list was updated", false);
        out.accept(messages.toolResult(use.id(), result, line));
    }

    /**
     * Returns the call that a request for permission is about, with everything that is known now.
     * Announces it unless it is pending: the agent completes its input when it runs.
     */
    synchronized AcpToolUse requested(JsonObject request, RawJson line)
            throws MalformedJsonException {
        var call = track(request);
        if (call == null) {
            throw new MalformedJsonException("expected fewer tool calls in one turn");
        }
        call.complement(request);
        if (!call.isPending()) {
            announce(call, line);
        }
        return ToolInputs.convert(call, names);
    }

    /** Announces a call before a person decides about it, or because it was denied. */
    synchronized void announce(AcpToolUse use, RawJson line) throws MalformedJsonException {
        var call = calls.get(use.id());
        if (call != null) {
            announce(call, line);
        }
    }

    /** Sends the result of a denied call, because agents may not report one. */
    synchronized void denied(AcpToolUse use, String message, RawJson line) {
        denied.add(use);
        spokeAfterDenial = false;
        var call = calls.get(use.id());
        if (call != null && !call.isClosed()) {
            close(call, AcpToolResult.text(message, true), line);
        }
    }

    /** Returns whether the model has written a text since the last denied call. */
    synchronized boolean spokeAfterDenial() {
        return spokeAfterDenial;
    }

    /** Sends the text so far, for example because the agent has exited. */
    synchronized void flush() {
        text.flush("end_turn");
    }

    /**
     * Ends the turn: sends the rest of the text, a result for every open call, and the result of
     * the turn. {@code failure} is the reason of the failure, or null.
     */
    synchronized void end(AcpSummary.End end, @Nullable String failure, RawJson line) {
        text.flush("end_turn");
        for (var call : calls.values()) {
            if (call.announced() != null && !call.isClosed()) {
                var reason =
                        end.interrupted()
                                ? "[Request interrupted by user]"
                                : "The engine reported no result of this call";
                close(call, AcpToolResult.text(reason, true), line);
            }
        }
        if (end.interrupted()) {
            out.accept(messages.interrupted(line));
        }
        var summary =
                new AcpSummary(end, announcedCalls, text.lastText(), context, List.copyOf(denied));
        out.accept(messages.result(summary, failure, line));
    }

    /** Returns what the agent has reported about the conversation so far. */
    synchronized AcpContextUsage context() {
        return context;
    }
}
