package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Maps the body of a hook to the payload of a {@code claude_event}, which also contains it raw. */
final class HookPayload {
    /** Field names of the protocol, and the names in hooks. */
    private static final Map<String, List<String>> NAMES =
            Map.of(
                    "tool", List.of("tool_name", "tool"),
                    "params", List.of("tool_input", "params"),
                    "tool_call_id", List.of("tool_use_id", "tool_call_id"),
                    "description", List.of("description"),
                    "risk_level", List.of("risk_level"),
                    "working_directory", List.of("cwd", "working_directory"),
                    "prompt", List.of("prompt"),
                    "message", List.of("message", "last_assistant_message"),
                    "reason", List.of("reason", "source"));

    /** Returns the payload. It keeps all other fields of the payload of a forwarder. */
    static RawJson of(JsonObject body) throws MalformedJsonException {
        var forwarded = body.object("payload");
        var fields = forwarded.orElse(body);
        var values = new TreeMap<String, RawJson>();
        NAMES.forEach(
                (name, sources) ->
                        sources.stream()
                                .flatMap(each -> fields.raw(each).stream())
                                .findFirst()
                                .ifPresent(value -> values.put(name, value)));
        result(fields).ifPresent(value -> values.put("result", value));
        forwarded.ifPresent(
                all ->
                        all.names()
                                .forEach(
                                        name ->
                                                all.raw(name)
                                                        .ifPresent(
                                                                value ->
                                                                        values.putIfAbsent(
                                                                                name, value))));
        values.put("raw", raw(body));
        var payload = JsonWriter.object();
        values.forEach(payload::put);
        return payload.end();
    }

    private static Optional<RawJson> result(JsonObject fields) throws MalformedJsonException {
        var explicit = fields.object("result");
        if (explicit.isPresent() && explicit.get().raw("success").isPresent()) {
            return fields.raw("result");
        }
        var response = fields.raw("tool_response").or(() -> fields.raw("result"));
        var error = new HookFields(fields).text("error");
        return response.isPresent() || error.isPresent()
                ? Optional.of(
                        JsonWriter.object()
                                .put("success", error.isEmpty())
                                .put("content", response.orElse(null))
                                .put("error", error.orElse(null))
                                .end())
                : Optional.empty();
    }

    private static RawJson raw(JsonObject body) {
        var copy = JsonWriter.object();
        body.names().forEach(name -> copy.put(name, body.raw(name).orElse(RawJson.NULL)));
        return copy.end();
    }

    private HookPayload() {}
}
