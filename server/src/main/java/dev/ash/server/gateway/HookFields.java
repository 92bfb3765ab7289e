package dev.ash.server.gateway;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a hook by the names of Claude Code or of other forwarders. A field of an
 * unexpected type is treated as absent.
 */
record HookFields(JsonObject all) {
    private static final int MAX_CONTENT = 100_000;

    /** Other forwarders than Claude Code send the fields in {@code payload}. */
    static HookFields of(JsonObject body) {
        return new HookFields(object(body, "payload").orElse(body));
    }

    Optional<String> text(String name) {
        return text(all, name);
    }

    private static Optional<String> text(JsonObject object, String name) {
        try {
            return object.string(name);
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static Optional<JsonObject> object(JsonObject object, String name) {
        try {
            return object.object(name);
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    String tool() {
        return text("tool_name").or(() -> text("tool")).orElse("");
    }

    RawJson input() {
        return all.raw("tool_input")
                .or(() -> all.raw("params"))
                .filter(HookFields::isObject)
                .orElse(RawJson.EMPTY_OBJECT);
    }

    Optional<String> callId() {
        return text("tool_use_id").or(() -> text("tool_call_id")).filter(id -> !id.isEmpty());
    }

    Optional<String> directory() {
        return text("cwd").or(() -> text("working_directory"));
    }

    /** {@code succeeded} applies if no field states success or failure. */
    RawJson result(boolean succeeded) throws MalformedJsonException {
        var explicit = object(all, "result").filter(result -> result.raw("success").isPresent());
        if (explicit.isPresent()) {
            return explicitResult(explicit.get());
        }
        var response = all.raw("tool_response").or(() -> all.raw("result")).orElse(RawJson.NULL);
        var error = text("error").orElse(null);
        boolean success = succeeded && error == null && !isFailure(response);
        var content = content(response);
        return result(
                success,
                error != null && content.isEmpty() ? error : content,
                success ? null : error == null ? content : error,
                ToolTexts.diff(response),
                duration(all));
    }

    /** Maps a result that has a field {@code success}. */
    private RawJson explicitResult(JsonObject result) throws MalformedJsonException {
        boolean success = result.isTrue("success");
        var content =
                result.raw("content")
                        .or(() -> result.raw("output"))
                        .map(HookFields::content)
                        .orElse("");
        var error = text(result, "error").orElse(null);
        var duration = duration(result);
        return result(
                success,
                content.isEmpty() && error != null ? error : content,
                error,
                text(result, "diff").orElse(null),
                duration.isPresent() ? duration : duration(all));
    }

    private static RawJson result(
            boolean success,
            String content,
            @Nullable String error,
            @Nullable String diff,
            OptionalLong duration) {
        var result =
                JsonWriter.object()
                        .put("success", success)
                        .put("content", shorten(content))
                        .put("error", error == null ? null : shorten(error))
                        .put("diff", diff == null ? null : shorten(diff));
        if (duration.isPresent()) {
            result.put("duration_ms", duration.getAsLong());
        }
        return result.end();
    }

    /** Shortens a text; the {@code claude_event} contains all of it. */
    private static String shorten(String text) {
        return Excerpt.of(text, MAX_CONTENT);
    }

    private static OptionalLong duration(JsonObject object) {
        try {
            return object.number("duration_ms");
        } catch (MalformedJsonException e) {
            return OptionalLong.empty();
        }
    }

    private static boolean isObject(RawJson json) {
        return json.length() > 0 && json.byteAt(0) == '{';
    }

    private static boolean isFailure(RawJson response) throws MalformedJsonException {
        return isObject(response)
                && JsonObject.parse(response)
                        .raw("success")
                        .filter(RawJson.of("false")::equals)
                        .isPresent();
    }

    /** Returns the text of a response, whose format depends on the engine and the tool. */
    private static String content(RawJson response) {
        try {
            return switch (response.byteAt(0)) {
                case '"' -> JsonObject.text(response).orElse("");
                case '[' -> blocks(response);
                case '{' -> content(JsonObject.parse(response)).orElse(response.toString());
                case 'n' -> "";
                default -> response.toString();
            };
        } catch (MalformedJsonException e) {
            return response.toString();
        }
    }

    private static Optional<String> content(JsonObject response) {
        var output = text(response, "stdout");
        if (output.isPresent()) { // of a command
            var errors = text(response, "stderr").filter(text -> !text.isBlank());
            return errors.isEmpty()
                    ? output
                    : Optional.of((output.get() + "\n" + errors.get()).strip());
        }
        var file = object(response, "file").flatMap(read -> text(read, "content"));
        if (file.isPresent()) {
            return file;
        }
        for (var name : List.of("content", "text", "output", "result")) {
            var value = response.raw(name).filter(raw -> !isObject(raw));
            if (value.isPresent()) {
                return value.map(HookFields::content);
            }
        }
        return text(response, "filePath"); // of an edit, whose changes are in the diff
    }

    private static String blocks(RawJson array) throws MalformedJsonException {
        var all = new StringBuilder();
        for (var element : JsonObject.elements(array)) {
            all.append(
                    isObject(element)
                            ? text(JsonObject.parse(element), "text").orElse("")
                            : content(element));
        }
        return all.toString();
    }
}
