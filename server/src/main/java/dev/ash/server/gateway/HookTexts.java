package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;

/** The body of a hook under the names that devices know, with the original beside them. */
final class HookTexts {
    /** What devices call it, and what engines do. */
    private static final Map<String, List<String>> NAMES =
            Map.of(
                    "tool", List.of("tool_name", "tool"),
                    "params", List.of("tool_input", "params"),
                    "tool_call_id", List.of("tool_use_id", "tool_call_id"),
                    "working_directory", List.of("cwd", "working_directory"),
                    "prompt", List.of("prompt"),
                    "message", List.of("message", "last_assistant_message"),
                    "reason", List.of("reason", "source"));

    static RawJson payload(JsonObject body) throws MalformedJsonException {
        var seed = body.object("payload");
        var fields = seed.orElse(body);
        var payload = JsonWriter.object();
        for (var name : NAMES.entrySet().stream().sorted(Map.Entry.comparingByKey()).toList()) {
            name.getValue().stream()
                    .flatMap(each -> fields.raw(each).stream())
                    .findFirst()
                    .ifPresent(value -> payload.put(name.getKey(), value));
        }
        result(fields, payload);
        return payload.put("raw", raw(body)).end();
    }

    private static void result(JsonObject fields, JsonWriter payload)
            throws MalformedJsonException {
        var told = fields.object("result");
        if (told.isPresent() && told.get().raw("success").isPresent()) {
            fields.raw("result").ifPresent(raw -> payload.put("result", raw));
            return;
        }
        var response = fields.raw("tool_response").or(() -> fields.raw("result"));
        var error = fields.string("error");
        if (response.isPresent() || error.isPresent()) {
            payload.put(
                    "result",
                    JsonWriter.object()
                            .put("success", error.isEmpty())
                            .put("content", response.orElse(null))
                            .put("error", error.orElse(null))
                            .end());
        }
    }

    private static RawJson raw(JsonObject body) {
        var copy = JsonWriter.object();
        body.names().forEach(name -> copy.put(name, body.raw(name).orElse(RawJson.NULL)));
        return copy.end();
    }

    private HookTexts() {}
}
