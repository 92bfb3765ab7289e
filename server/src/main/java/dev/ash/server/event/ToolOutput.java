package dev.ash.server.event;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/**
 * The output of a tool: as the engine reports it separately, else the result given to the model.
 */
record ToolOutput(RawJson stdout, RawJson stderr) {
    static ToolOutput of(JsonObject message, JsonObject block) throws MalformedJsonException {
        var content = block.raw("content").orElse(RawJson.string(""));
        var separate = message.object("tool_use_result");
        if (separate.isEmpty()) {
            return new ToolOutput(content, RawJson.string(""));
        }
        return new ToolOutput(
                separate.get().raw("stdout").orElse(content),
                separate.get().raw("stderr").orElse(RawJson.string("")));
    }
}
