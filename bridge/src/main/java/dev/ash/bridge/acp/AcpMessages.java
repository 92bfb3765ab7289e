package dev.ash.bridge.acp;

import static dev.ash.bridge.engine.ClaudeMessageFormat.withOriginal;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the messages of a turn in the format of Claude Code, each with its original line as {@code
 * raw}.
 */
final class AcpMessages {
    private final ClaudeMessageFormat format;
    private final String model;

    AcpMessages(String sessionId, String model) {
        this.format = new ClaudeMessageFormat(sessionId, model);
        this.model = model;
    }

    /** Agents do not report the names of their tools. */
    RawJson init(String workspace, boolean asks, RawJson raw) {
        return withOriginal(format.init(workspace, List.of(), asks), raw);
    }

    /** Builds a message for an update that has no equivalent in Claude Code. */
    RawJson update(String kind, RawJson raw) {
        return withOriginal(format.update("session/update/" + kind), raw);
    }

    RawJson assistant(String messageId, RawJson block, RawJson raw) {
        return withOriginal(format.assistant(messageId, block), raw);
    }

    RawJson toolResult(String callId, AcpToolResult result, RawJson raw) {
        return withOriginal(format.toolResult(callId, result.content(), result.isError()), raw);
    }

    RawJson interrupted(RawJson raw) {
        return withOriginal(format.interrupted(), raw);
    }

    /** {@code failure} is the reason of the failure, or null. */
    RawJson result(AcpSummary summary, @Nullable String failure, RawJson raw) {
        var end = summary.end();
        boolean ok = failure == null && !end.interrupted();
        var json = format.result(ok, end.millis(), summary.calls() + 1);
        json.put("result", failure == null ? summary.text() : failure);
        if (ok) {
            json.put("stop_reason", end.stopReason()).put("terminal_reason", "completed");
        } else {
            json.putNull("stop_reason");
            json.put("terminal_reason", end.interrupted() ? "aborted_streaming" : "error");
            json.put("errors", List.of(failure == null ? "The turn was interrupted" : failure));
        }
        json.put("total_cost_usd", summary.context().cost()).put("usage", end.usage().json());
        putModelUsage(json, summary);
        json.name("permission_denials").open('[');
        for (var call : summary.denied()) {
            json.open('{').put("tool_name", call.tool()).put("tool_use_id", call.id());
            json.put("tool_input", call.input()).close('}');
        }
        return withOriginal(json.close(']'), raw);
    }

    private void putModelUsage(JsonWriter json, AcpSummary summary) {
        json.name("modelUsage").open('{');
        if (!model.isEmpty()) {
            json.name(model).open('{');
            summary.end().usage().putModelUsage(json);
            json.put("webSearchRequests", 0).put("costUSD", summary.context().cost());
            json.put("contextWindow", summary.context().size()).close('}');
        }
        json.close('}');
    }

    /** Builds the start of a streamed message; {@code empty} is its empty block. */
    List<RawJson> streamStart(String messageId, RawJson empty) {
        return List.of(format.messageStart(messageId), format.blockStart(empty));
    }

    RawJson delta(String type, String field, String text, RawJson raw) {
        return withOriginal(format.delta(type, field, RawJson.string(text)), raw);
    }

    /** Builds the end of a streamed message. */
    List<RawJson> streamEnd(String stopReason) {
        return List.of(format.blockStop(), format.messageDelta(stopReason), format.messageStop());
    }
}
