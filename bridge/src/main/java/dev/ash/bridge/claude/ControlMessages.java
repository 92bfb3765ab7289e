package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** The lines that the bridge writes to the CLI. */
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

    /** Without a model the CLI goes back to its default. */
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

    /** The answer to {@code can_use_tool}; without the input the CLI would refuse the tool. */
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

    /** The turn ends here, and the CLI asks again when the conversation is taken up. */
    static RawJson hookDefers(String requestId) {
        return decided(hookDecision(requestId, "defer"));
    }

    /** No decision: the CLI goes by its own rules. */
    static RawJson hookLeaves(String requestId) {
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
