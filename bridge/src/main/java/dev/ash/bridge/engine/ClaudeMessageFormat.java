package dev.ash.bridge.engine;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Builds messages in the format of Claude Code, for engines with another format. Methods that
 * return a {@link JsonWriter} allow the caller to append fields.
 */
public final class ClaudeMessageFormat {
    /** A longer original would not fit into a line of the bridge together with the message. */
    private static final int MAX_ORIGINAL_BYTES = Limits.MAX_LINE_BYTES / 2 - 64 * 1024;

    private static final RawJson NO_USAGE = RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}");

    private final String sessionId;
    private final String model;

    /** {@code sessionId} is the engine's own. */
    public ClaudeMessageFormat(String sessionId, String model) {
        this.sessionId = sessionId;
        this.model = model;
    }

    public JsonWriter init(String workspace, List<String> tools, boolean asks) {
        var json = JsonWriter.object().put("type", "system").put("subtype", "init");
        json.put("cwd", workspace).put("session_id", sessionId);
        json.put("tools", tools).put("mcp_servers", List.of()).put("model", model);
        json.put("permissionMode", asks ? "default" : "bypassPermissions");
        json.put("slash_commands", List.of()).put("apiKeySource", "none");
        json.put("output_style", "default").put("agents", List.of()).put("skills", List.of());
        return json.put("plugins", List.of()).put("uuid", uuid());
    }

    /** Builds a message for an update that has no equivalent in Claude Code. */
    public JsonWriter update(String method) {
        var json = JsonWriter.object().put("type", "system").put("subtype", "engine_update");
        return json.put("method", method).put("session_id", sessionId).put("uuid", uuid());
    }

    public JsonWriter assistant(String messageId, RawJson block) {
        return assistant(messageId, uuid(), block);
    }

    public JsonWriter assistant(String messageId, String uuid, RawJson block) {
        var json = JsonWriter.object().put("type", "assistant").name("message").open('{');
        head(json, messageId).name("content").open('[').value(block).close(']');
        return putEnvelope(tail(json), uuid);
    }

    public static RawJson text(String text) {
        return JsonWriter.object().put("type", "text").put("text", text).end();
    }

    public static RawJson thinking(String text) {
        var json = JsonWriter.object().put("type", "thinking").put("thinking", text);
        return json.put("signature", "").end();
    }

    public static RawJson toolUse(String id, String tool, RawJson input) {
        var json = JsonWriter.object().put("type", "tool_use").put("id", id);
        return json.put("name", tool).put("input", input).end();
    }

    public JsonWriter toolResult(String callId, RawJson content, boolean isError) {
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").name("content").open('[').open('{');
        json.put("tool_use_id", callId).put("type", "tool_result").put("content", content);
        json.put("is_error", isError).close('}').close(']').close('}');
        return putEnvelope(json, uuid());
    }

    /** Builds a message of the user; {@code content} is a text or an array of content blocks. */
    public JsonWriter user(RawJson content) {
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").put("content", content).close('}');
        return putEnvelope(json, uuid());
    }

    public JsonWriter interrupted() {
        var json = JsonWriter.object().put("type", "user").name("message").open('{');
        json.put("role", "user").name("content").open('[');
        json.value(text("[Request interrupted by user]")).close(']').close('}');
        return putEnvelope(json, uuid());
    }

    /** Builds the common fields of a result; the engine adds its own. */
    public JsonWriter result(boolean ok, long millis, int calls) {
        var json = JsonWriter.object().put("type", "result");
        json.put("subtype", ok ? "success" : "error_during_execution").put("is_error", !ok);
        json.put("duration_ms", millis).put("duration_api_ms", 0);
        return json.put("num_turns", calls).put("session_id", sessionId).put("uuid", uuid());
    }

    public RawJson messageStart(String messageId) {
        var json = event("message_start").name("message").open('{');
        return streamEvent(tail(head(json, messageId).put("content", List.of()))).end();
    }

    public RawJson blockStart(RawJson block) {
        var json = event("content_block_start").put("index", 0).put("content_block", block);
        return streamEvent(json).end();
    }

    /** Builds a delta of a block, such as {@code text} of a {@code text_delta}. */
    public JsonWriter delta(String type, String field, RawJson value) {
        var json = event("content_block_delta").put("index", 0).name("delta").open('{');
        return streamEvent(json.put("type", type).put(field, value).close('}'));
    }

    public RawJson blockStop() {
        return streamEvent(event("content_block_stop").put("index", 0)).end();
    }

    public RawJson messageDelta(String stopReason) {
        var json = event("message_delta").name("delta").open('{');
        json.put("stop_reason", stopReason).putNull("stop_sequence").close('}');
        return streamEvent(json.put("usage", RawJson.of("{\"output_tokens\":0}"))).end();
    }

    public RawJson messageStop() {
        return streamEvent(event("message_stop")).end();
    }

    /** Ends a message with the line of the engine that it was translated from. */
    public static RawJson withOriginal(JsonWriter json, RawJson line) {
        return line.length() <= MAX_ORIGINAL_BYTES ? json.put("raw", line).end() : json.end();
    }

    private static JsonWriter event(String type) {
        var json = JsonWriter.object().put("type", "stream_event").name("event").open('{');
        return json.put("type", type);
    }

    private JsonWriter streamEvent(JsonWriter json) {
        return putEnvelope(json.close('}'), uuid());
    }

    private JsonWriter head(JsonWriter json, String messageId) {
        json.put("id", messageId).put("type", "message").put("role", "assistant");
        return json.put("model", model);
    }

    private static JsonWriter tail(JsonWriter json) {
        json.putNull("stop_reason").putNull("stop_sequence");
        return json.put("usage", NO_USAGE).close('}');
    }

    private JsonWriter putEnvelope(JsonWriter json, String uuid) {
        json.putNull("parent_tool_use_id").put("session_id", sessionId);
        return json.put("uuid", uuid);
    }

    /**
     * Returns a new random id. Ids of messages are unique, not secret: a cryptographic generator
     * takes 10 ms for its first id, and a tenth of a millisecond for each one in an interpreted
     * JVM.
     */
    public static String uuid() {
        var random = ThreadLocalRandom.current();
        long version4 = (random.nextLong() & ~0xF000L) | 0x4000L;
        long variant2 = (random.nextLong() >>> 2) | Long.MIN_VALUE;
        return new UUID(version4, variant2).toString();
    }
}
