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
 * What a hook says of a tool call, by the names of Claude Code or those of other forwarders. A
 * field of another type than expected counts as absent.
 */
record HookFields(JsonObject all) {
    private static final int MAX_CONTENT = 100_000;

    /** In the form of other forwarders they are in {@code payload}. */
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

    Optional<String> folder() {
        return text("cwd").or(() -> text("working_directory"));
    }

    /** {@code succeeded}: whether the event is about success, where its fields say nothing. */
    RawJson result(boolean succeeded) throws MalformedJsonException {
        var told = object(all, "result").filter(result -> result.raw("success").isPresent());
        if (told.isPresent()) {
            return told(told.get());
        }
        var response = all.raw("tool_response").or(() -> all.raw("result")).orElse(RawJson.NULL);
        var error = text("error").orElse(null);
        boolean success = succeeded && error == null && !saysFalse(response);
        var content = content(response);
        return result(
                success,
                error != null && content.isEmpty() ? error : content,
                success ? null : error == null ? content : error,
                ToolTexts.diff(response),
                duration(all));
    }

    private RawJson told(JsonObject result) throws MalformedJsonException {
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
                        .put("content", shortened(content))
                        .put("error", error == null ? null : shortened(error))
                        .put("diff", diff == null ? null : shortened(diff));
        if (duration.isPresent()) {
            result.put("duration_ms", duration.getAsLong());
        }
        return result.end();
    }

    /** Everything is in the {@code claude_event}; a phone shows the beginning. */
    private static String shortened(String text) {
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

    private static boolean saysFalse(RawJson response) throws MalformedJsonException {
        return isObject(response)
                && JsonObject.parse(response)
                        .raw("success")
                        .filter(RawJson.of("false")::equals)
                        .isPresent();
    }

    /** The text of an answer: engines and tools put it into many shapes. */
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
        return text(response, "filePath"); // of an edit, whose diff says the rest
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
