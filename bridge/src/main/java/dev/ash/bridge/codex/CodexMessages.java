package dev.ash.bridge.codex;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the messages of one thread in the format of Claude Code, each with its original line as
 * {@code raw}.
 */
final class CodexMessages {
    private final ClaudeMessageFormat format;

    CodexMessages(String threadId, String model) {
        this.format = new ClaudeMessageFormat(threadId, model);
    }

    RawJson init(String workspace, boolean asks, RawJson raw) {
        var tools = List.of(CodexRules.COMMAND, CodexRules.CHANGE);
        return ClaudeMessageFormat.withOriginal(format.init(workspace, tools, asks), raw);
    }

    /** Builds a message for an update that has no equivalent in Claude Code. */
    RawJson update(String method, RawJson raw) {
        return ClaudeMessageFormat.withOriginal(format.update(method), raw);
    }

    RawJson assistant(String messageId, String uuid, RawJson block, RawJson raw) {
        return ClaudeMessageFormat.withOriginal(format.assistant(messageId, uuid, block), raw);
    }

    RawJson toolResult(String callId, ToolResult result, RawJson raw) {
        return ClaudeMessageFormat.withOriginal(
                format.toolResult(callId, result.content(), result.isError()), raw);
    }

    RawJson steered(RawJson prompt, RawJson raw) {
        return ClaudeMessageFormat.withOriginal(format.user(prompt), raw);
    }

    RawJson interrupted(RawJson raw) {
        return ClaudeMessageFormat.withOriginal(format.interrupted(), raw);
    }

    /** {@code failure} is the reason of the failure, or null. */
    RawJson result(TurnSummary end, @Nullable String failure, RawJson raw) {
        boolean ok = failure == null && !end.interrupted();
        var json = format.result(ok, end.millis(), end.usage().calls());
        json.put("result", failure == null ? end.text() : failure);
        if (ok) {
            json.put("stop_reason", "end_turn").put("terminal_reason", "completed");
        } else {
            json.putNull("stop_reason");
            json.put("terminal_reason", end.interrupted() ? "aborted_streaming" : "error");
            json.put("errors", List.of(failure == null ? "The turn was interrupted" : failure));
        }
        json.put("usage", end.usage().json()).put("modelUsage", RawJson.EMPTY_OBJECT);
        json.name("permission_denials").open('[');
        for (var call : end.denied()) {
            json.open('{').put("tool_name", call.tool()).put("tool_use_id", call.id());
            json.put("tool_input", call.input()).close('}');
        }
        return ClaudeMessageFormat.withOriginal(json.close(']'), raw);
    }

    /** Builds the start of a streamed message; {@code empty} is its empty block. */
    List<RawJson> streamStart(String messageId, RawJson empty) {
        return List.of(format.messageStart(messageId), format.blockStart(empty));
    }

    RawJson delta(String type, String field, RawJson text, RawJson raw) {
        return ClaudeMessageFormat.withOriginal(format.delta(type, field, text), raw);
    }

    /** Builds the end of a streamed message. */
    List<RawJson> streamEnd() {
        return List.of(format.blockStop(), format.messageDelta("end_turn"), format.messageStop());
    }
}
