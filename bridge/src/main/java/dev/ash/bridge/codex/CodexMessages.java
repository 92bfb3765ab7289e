package dev.ash.bridge.codex;

import dev.ash.bridge.engine.MessageShapes;
import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one thread in the shapes of Claude Code, each with the line that it was made from
 * as {@code raw}.
 */
final class CodexMessages {
    /** Above this a message would not fit into a line of the bridge together with its original. */
    private static final int MAX_RAW_BYTES = Limits.MAX_LINE_BYTES / 2 - 64 * 1024;

    private final MessageShapes shapes;

    CodexMessages(String threadId, String model) {
        this.shapes = new MessageShapes(threadId, model);
    }

    RawJson init(String workspace, boolean asks, RawJson raw) {
        var tools = List.of(CodexRules.COMMAND, CodexRules.CHANGE);
        return original(shapes.init(workspace, tools, asks), raw);
    }

    /** Whatever has no shape of its own among Claude's messages. */
    RawJson update(String method, RawJson raw) {
        return original(shapes.update(method), raw);
    }

    RawJson assistant(String messageId, String uuid, RawJson block, RawJson raw) {
        return original(shapes.assistant(messageId, uuid, block), raw);
    }

    RawJson toolResult(String callId, ToolResult result, RawJson raw) {
        return original(shapes.toolResult(callId, result.content(), result.isError()), raw);
    }

    RawJson interrupted(RawJson raw) {
        return original(shapes.interrupted(), raw);
    }

    /** {@code failure} says why the turn failed; null if it did not. */
    RawJson result(TurnEnd end, @Nullable String failure, RawJson raw) {
        boolean ok = failure == null && !end.interrupted();
        var json = shapes.result(ok, end.millis(), end.usage().calls());
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
        return original(json.close(']'), raw);
    }

    /** The beginning of a message that comes in pieces; {@code empty} is its block. */
    List<RawJson> begun(String messageId, RawJson empty) {
        return List.of(shapes.messageStart(messageId), shapes.blockStart(empty));
    }

    RawJson delta(String type, String field, RawJson text, RawJson raw) {
        return original(shapes.delta(type, field, text), raw);
    }

    /** The end of a message that came in pieces. */
    List<RawJson> finished() {
        return List.of(shapes.blockStop(), shapes.messageDelta("end_turn"), shapes.messageStop());
    }

    private static RawJson original(JsonWriter json, RawJson raw) {
        return raw.length() <= MAX_RAW_BYTES ? json.put("raw", raw).end() : json.end();
    }
}
