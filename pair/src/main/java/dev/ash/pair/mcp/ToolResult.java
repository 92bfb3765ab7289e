package dev.ash.pair.mcp;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** The result of a tool: text for the model, and the same content as JSON. */
record ToolResult(String text, @Nullable String note, @Nullable RawJson structured) {
    static ToolResult of(String text, RawJson structured) {
        return new ToolResult(text, null, structured);
    }

    /** An error that the model can read and correct. */
    static ToolResult error(String message) {
        return new ToolResult(message, null, null);
    }

    RawJson toJson() {
        var json = JsonWriter.object().name("content").open('[');
        json.open('{').put("type", "text").put("text", text).close('}');
        if (note != null) {
            json.open('{').put("type", "text").put("text", note).close('}');
        }
        json.close(']').put("structuredContent", structured);
        return json.put("isError", structured == null).end();
    }
}
