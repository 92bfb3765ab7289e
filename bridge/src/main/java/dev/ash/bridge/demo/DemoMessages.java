package dev.ash.bridge.demo;

import dev.ash.bridge.exec.ShellResult;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** The messages of one turn, in the shapes of Claude Code and with ids that fit together. */
final class DemoMessages {
    static final String MODEL = "demo";

    private final String sessionId;
    private final long startedAt = System.nanoTime();

    DemoMessages(String sessionId) {
        this.sessionId = sessionId;
    }

    static String newMessageId() {
        return "msg_demo_" + UUID.randomUUID().toString().replace("-", "");
    }

    RawJson init(Path workspace, boolean asks) {
        var json = JsonWriter.object().put("type", "system").put("subtype", "init");
        json.put("cwd", workspace.toString()).put("session_id", sessionId);
        json.put("tools", List.of("Bash")).put("mcp_servers", List.of());
        json.put("model", MODEL).put("permissionMode", asks ? "default" : "bypassPermissions");
        json.put("slash_commands", List.of()).put("apiKeySource", "none");
        json.put("output_style", "default").put("agents", List.of()).put("skills", List.of());
        return json.put("plugins", List.of()).put("uuid", uuid()).end();
    }

    RawJson text(String messageId, String text) {
        return assistant(messageId, textBlock(text));
    }

    RawJson toolUse(String messageId, String toolUseId, RawJson input) {
        return assistant(messageId, toolBlock(toolUseId, input));
    }

    RawJson toolResult(String toolUseId, ShellResult result) {
        boolean failed = result.exitCode() != 0;
        var shown = result.stdout() + result.stderr();
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").name("content").open('[').open('{');
        json.put("tool_use_id", toolUseId).put("type", "tool_result").put("content", shown);
        json.put("is_error", failed).close('}').close(']').close('}');
        place(json).name("tool_use_result").open('{');
        json.put("stdout", result.stdout()).put("stderr", result.stderr());
        return json.put("interrupted", false).put("isImage", false).close('}').end();
    }

    RawJson interrupted() {
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").name("content").open('[');
        json.value(textBlock("[Request interrupted by user]")).close(']').close('}');
        return place(json).end();
    }

    RawJson success(String text, int turns) {
        var json = result("success", false, turns).put("result", text);
        return json.put("stop_reason", "end_turn").put("terminal_reason", "completed").end();
    }

    RawJson aborted(int turns) {
        var json = result("error_during_execution", true, turns).putNull("stop_reason");
        json.put("terminal_reason", "aborted_streaming");
        return json.put("errors", List.of("The demo was interrupted")).end();
    }

    private JsonWriter result(String subtype, boolean error, int turns) {
        long millis = (System.nanoTime() - startedAt) / 1_000_000;
        var json = JsonWriter.object().put("type", "result").put("subtype", subtype);
        json.put("is_error", error).put("duration_ms", millis).put("duration_api_ms", 0);
        json.put("num_turns", turns).put("session_id", sessionId).put("total_cost_usd", 0);
        json.put("usage", RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}"));
        json.put("modelUsage", RawJson.EMPTY_OBJECT).put("permission_denials", List.of());
        return json.put("uuid", uuid());
    }

    private RawJson assistant(String messageId, RawJson block) {
        var json = JsonWriter.object().put("type", "assistant").name("message").open('{');
        head(json, messageId).name("content").open('[').value(block).close(']');
        return place(tail(json)).end();
    }

    RawJson messageStart(String messageId) {
        var json = event("message_start").name("message").open('{');
        return streamed(tail(head(json, messageId).put("content", List.of())));
    }

    RawJson textStart() {
        return blockStart(textBlock(""));
    }

    RawJson toolStart(String toolUseId) {
        return blockStart(toolBlock(toolUseId, RawJson.EMPTY_OBJECT));
    }

    private RawJson blockStart(RawJson block) {
        return streamed(event("content_block_start").put("index", 0).put("content_block", block));
    }

    RawJson textDelta(String text) {
        return delta("text_delta", "text", text);
    }

    RawJson inputDelta(String json) {
        return delta("input_json_delta", "partial_json", json);
    }

    private RawJson delta(String type, String field, String value) {
        var json = event("content_block_delta").put("index", 0).name("delta").open('{');
        return streamed(json.put("type", type).put(field, value).close('}'));
    }

    RawJson blockStop() {
        return streamed(event("content_block_stop").put("index", 0));
    }

    RawJson messageDelta(String stopReason) {
        var json = event("message_delta").name("delta").open('{');
        json.put("stop_reason", stopReason).putNull("stop_sequence").close('}');
        return streamed(json.put("usage", RawJson.of("{\"output_tokens\":0}")));
    }

    RawJson messageStop() {
        return streamed(event("message_stop"));
    }

    private static JsonWriter event(String type) {
        var json = JsonWriter.object().put("type", "stream_event").name("event").open('{');
        return json.put("type", type);
    }

    private RawJson streamed(JsonWriter json) {
        return place(json.close('}')).end();
    }

    private static JsonWriter head(JsonWriter json, String messageId) {
        json.put("id", messageId).put("type", "message").put("role", "assistant");
        return json.put("model", MODEL);
    }

    private static JsonWriter tail(JsonWriter json) {
        json.putNull("stop_reason").putNull("stop_sequence");
        return json.put("usage", RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}")).close('}');
    }

    private JsonWriter place(JsonWriter json) {
        json.putNull("parent_tool_use_id").put("session_id", sessionId);
        return json.put("uuid", uuid());
    }

    private static RawJson textBlock(String text) {
        return JsonWriter.object().put("type", "text").put("text", text).end();
    }

    private static RawJson toolBlock(String toolUseId, RawJson input) {
        var json = JsonWriter.object().put("type", "tool_use").put("id", toolUseId);
        return json.put("name", "Bash").put("input", input).end();
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }
}
