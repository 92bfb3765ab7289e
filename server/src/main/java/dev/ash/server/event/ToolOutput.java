package dev.ash.server.event;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/**
 * What a tool said: its own output where the engine reports it apart, else what the model was told.
 */
record ToolOutput(RawJson stdout, RawJson stderr) {
    static ToolOutput of(JsonObject message, JsonObject block) throws MalformedJsonException {
        var told = block.raw("content").orElse(RawJson.string(""));
        var own = message.object("tool_use_result");
        if (own.isEmpty()) {
            return new ToolOutput(told, RawJson.string(""));
        }
        return new ToolOutput(
                own.get().raw("stdout").orElse(told),
                own.get().raw("stderr").orElse(RawJson.string("")));
    }
}
