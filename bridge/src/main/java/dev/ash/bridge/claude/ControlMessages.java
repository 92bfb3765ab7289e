package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Builds the lines that the bridge writes to the CLI. */
final class ControlMessages {
    static RawJson prompt(RawJson content, String uuid) {
        return JsonWriter.object()
                .put("type", "user")
                .name("message")
                .open('{')
                .put("role", "user")
                .put("content", content)
                .close('}')
                .putNull("parent_tool_use_id")
                .put("session_id", "")
                .put("uuid", uuid)
                .end();
    }

    static RawJson interrupt() {
        return request("ash-interrupt").put("subtype", "interrupt").close('}').end();
    }

    /** Null restores the CLI's default model. */
    static RawJson setModel(@Nullable String model) {
        return request("ash-set-model")
                .put("subtype", "set_model")
                .put("model", model)
                .close('}')
                .end();
    }

    private static JsonWriter request(String id) {
        return JsonWriter.object()
                .put("type", "control_request")
                .put("request_id", id)
                .name("request")
                .open('{');
    }

    /** Responds to {@code can_use_tool}; without the input the CLI would deny the tool. */
    static RawJson allow(String requestId, RawJson input) {
        var json = success(requestId).put("behavior", "allow").put("updatedInput", input);
        return json.close('}').close('}').end();
    }

    static RawJson deny(String requestId, String message) {
        var json = success(requestId).put("behavior", "deny").put("message", message);
        return json.close('}').close('}').end();
    }

    static RawJson hookAllows(String requestId, RawJson input) {
        return decided(hookDecision(requestId, "allow").put("updatedInput", input));
    }

    static RawJson hookDenies(String requestId, String reason) {
        return decided(hookDecision(requestId, "deny").put("permissionDecisionReason", reason));
    }

    /** Ends the turn; the CLI asks again when the conversation is resumed. */
    static RawJson hookDefers(String requestId) {
        return decided(hookDecision(requestId, "defer"));
    }

    /** Makes no decision: the CLI applies its own rules. */
    static RawJson hookPassesThrough(String requestId) {
        return success(requestId).close('}').close('}').end();
    }

    private static JsonWriter hookDecision(String requestId, String decision) {
        return success(requestId)
                .name("hookSpecificOutput")
                .open('{')
                .put("hookEventName", "PreToolUse")
                .put("permissionDecision", decision);
    }

    private static RawJson decided(JsonWriter json) {
        return json.close('}').close('}').close('}').end();
    }

    static RawJson unsupported(String requestId, String subtype) {
        return response("error", requestId)
                .put("error", "This client does not support '" + subtype + "'")
                .close('}')
                .end();
    }

    private static JsonWriter success(String requestId) {
        return response("success", requestId).name("response").open('{');
    }

    private static JsonWriter response(String subtype, String id) {
        return JsonWriter.object()
                .put("type", "control_response")
                .name("response")
                .open('{')
                .put("subtype", subtype)
                .put("request_id", id);
    }

    private ControlMessages() {}
}
