package dev.ash.bridge.codex;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one thread in the shapes of Claude Code, each with the line that it was made from
 * as {@code raw}.
 */
final class CodexMessages {
    /** Above this a message would not fit into a line of the bridge together with its original. */
    private static final int MAX_RAW_BYTES = Limits.MAX_LINE_BYTES / 2 - 64 * 1024;

    private static final RawJson NO_USAGE = RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}");

    private final String threadId;
    private final String model;

    CodexMessages(String threadId, String model) {
        this.threadId = threadId;
        this.model = model;
    }

    RawJson init(String workspace, boolean asks, RawJson raw) {
        var json = JsonWriter.object().put("type", "system").put("subtype", "init");
        json.put("cwd", workspace).put("session_id", threadId);
        json.put("tools", List.of(CodexRules.COMMAND, CodexRules.CHANGE));
        json.put("mcp_servers", List.of()).put("model", model);
        json.put("permissionMode", asks ? "default" : "bypassPermissions");
        json.put("slash_commands", List.of()).put("apiKeySource", "none");
        json.put("output_style", "default").put("agents", List.of()).put("skills", List.of());
        return original(json.put("plugins", List.of()).put("uuid", uuid()), raw);
    }

    /** Whatever has no shape of its own among Claude's messages. */
    RawJson update(String method, RawJson raw) {
        var json = JsonWriter.object().put("type", "system").put("subtype", "engine_update");
        json.put("method", method).put("session_id", threadId);
        return original(json.put("uuid", uuid()), raw);
    }

    RawJson assistant(String messageId, String uuid, RawJson block, RawJson raw) {
        var json = JsonWriter.object().put("type", "assistant").name("message").open('{');
        head(json, messageId).name("content").open('[').value(block).close(']');
        return original(place(tail(json), uuid), raw);
    }

    static RawJson text(String text) {
        return JsonWriter.object().put("type", "text").put("text", text).end();
    }

    static RawJson thinking(String text) {
        var json = JsonWriter.object().put("type", "thinking").put("thinking", text);
        return json.put("signature", "").end();
    }

    static RawJson toolUse(ToolCall call) {
        var json = JsonWriter.object().put("type", "tool_use").put("id", call.id());
        return json.put("name", call.tool()).put("input", call.input()).end();
    }

    RawJson toolResult(String callId, ToolResult result, RawJson raw) {
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").name("content").open('[').open('{');
        json.put("tool_use_id", callId).put("type", "tool_result").put("content", result.content());
        json.put("is_error", result.isError()).close('}').close(']').close('}');
        return original(place(json, uuid()), raw);
    }

    RawJson interrupted(RawJson raw) {
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").name("content").open('[');
        json.value(text("[Request interrupted by user]")).close(']').close('}');
        return original(place(json, uuid()), raw);
    }

    /** {@code failure} says why the turn failed; null if it did not. */
    RawJson result(TurnEnd end, @Nullable String failure, RawJson raw) {
        boolean ok = failure == null && !end.interrupted();
        var json = JsonWriter.object().put("type", "result");
        json.put("subtype", ok ? "success" : "error_during_execution").put("is_error", !ok);
        json.put("duration_ms", end.millis()).put("duration_api_ms", 0);
        json.put("num_turns", end.usage().calls()).put("session_id", threadId);
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
        return original(json.close(']').put("uuid", uuid()), raw);
    }

    RawJson messageStart(String messageId) {
        var json = event("message_start").name("message").open('{');
        return streamed(tail(head(json, messageId).put("content", List.of())));
    }

    RawJson blockStart(RawJson block) {
        return streamed(event("content_block_start").put("index", 0).put("content_block", block));
    }

    RawJson delta(String type, String field, RawJson text, RawJson raw) {
        var json = event("content_block_delta").put("index", 0).name("delta").open('{');
        json.put("type", type).put(field, text).close('}');
        return original(place(json.close('}'), uuid()), raw);
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
        return place(json.close('}'), uuid()).end();
    }

    private JsonWriter head(JsonWriter json, String messageId) {
        json.put("id", messageId).put("type", "message").put("role", "assistant");
        return json.put("model", model);
    }

    private static JsonWriter tail(JsonWriter json) {
        json.putNull("stop_reason").putNull("stop_sequence");
        return json.put("usage", NO_USAGE).close('}');
    }

    private JsonWriter place(JsonWriter json, String uuid) {
        json.putNull("parent_tool_use_id").put("session_id", threadId);
        return json.put("uuid", uuid);
    }

    private static RawJson original(JsonWriter json, RawJson raw) {
        return raw.length() <= MAX_RAW_BYTES ? json.put("raw", raw).end() : json.end();
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }
}
