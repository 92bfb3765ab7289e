package dev.ash.bridge.codex;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** The result of a tool call: text, or content blocks of an MCP server. */
record ToolResult(RawJson content, boolean isError, boolean isDeclined) {
    private static final String DECLINED = "The user did not approve this call.";

    static ToolResult of(JsonObject item) throws MalformedJsonException {
        var status = item.string("status").orElse("completed");
        boolean failed = !status.equals("completed");
        if (status.equals("declined")) {
            return new ToolResult(RawJson.string(DECLINED), true, true);
        }
        return switch (item.string("type").orElse("")) {
            case "commandExecution" ->
                    new ToolResult(
                            item.raw("aggregatedOutput").orElse(RawJson.string("")),
                            failed || item.number("exitCode").orElse(0) != 0,
                            false);
            case "fileChange" ->
                    text(
                            failed ? "The files could not be changed" : "The files were changed",
                            failed);
            case "mcpToolCall" -> mcp(item, failed);
            case "dynamicToolCall" ->
                    new ToolResult(
                            item.raw("contentItems").orElse(RawJson.string("")),
                            failed || !item.isTrue("success"),
                            false);
            default -> text("", failed);
        };
    }

    static ToolResult interrupted() {
        return text("[Request interrupted by user]", true);
    }

    private static ToolResult mcp(JsonObject item, boolean failed) throws MalformedJsonException {
        var error = item.object("error");
        if (error.isPresent()) {
            return text(error.get().string("message").orElse("The tool failed"), true);
        }
        var result = item.object("result");
        var content = result.flatMap(r -> r.raw("content")).orElse(RawJson.string(""));
        return new ToolResult(content, failed, false);
    }

    private static ToolResult text(String text, boolean failed) {
        return new ToolResult(RawJson.string(text), failed, false);
    }
}
