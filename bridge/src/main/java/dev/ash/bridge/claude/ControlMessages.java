package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;
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

    /** The answer to something the CLI asks. */
    static RawJson answer(ClaudeLine line, Permissions permissions) throws MalformedJsonException {
        var id = line.json().string("request_id").orElse("");
        var request = line.json().object("request");
        var subtype = field(request, "subtype");
        return subtype.equals("can_use_tool")
                ? deny(id, permissions.refusal(field(request, "tool_name")))
                : unsupported(id, subtype);
    }

    private static String field(Optional<JsonObject> request, String name)
            throws MalformedJsonException {
        return request.isPresent() ? request.get().string(name).orElse("") : "";
    }

    private static RawJson deny(String id, String message) {
        return response("success", id)
                .name("response")
                .open('{')
                .put("behavior", "deny")
                .put("message", message)
                .close('}')
                .close('}')
                .end();
    }

    private static RawJson unsupported(String id, String subtype) {
        return response("error", id)
                .put("error", "This client does not support '" + subtype + "'")
                .close('}')
                .end();
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
