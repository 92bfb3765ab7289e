package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a tool call: text, or text and images as content blocks. */
record AcpToolResult(RawJson content, boolean isError) {
    private static final RawJson NONE = RawJson.of("[]");

    /** Bounds a message, which also contains the original line. */
    private static final int MAX_CHARS = 2 * 1024 * 1024;

    static AcpToolResult text(String text, boolean isError) {
        return new AcpToolResult(RawJson.string(text), isError);
    }

    static AcpToolResult of(AcpCall call) throws MalformedJsonException {
        var text = new StringBuilder();
        var images = new ArrayList<RawJson>();
        for (var item : call.content()) {
            switch (item.string("type").orElse("")) {
                case "content" -> addBlock(item.object("content").orElse(item), text, images);
                case "diff" -> addLine(text, "Changed " + item.string("path").orElse("a file"));
                default -> {}
            }
        }
        boolean isError = call.hasFailed() || exitCode(call) != 0;
        if (text.isEmpty() && images.isEmpty()) {
            addLine(text, output(call));
        }
        var shown = text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) + "…" : text;
        return images.isEmpty()
                ? text(shown.toString(), isError)
                : new AcpToolResult(blocks(shown.toString(), images), isError);
    }

    private static void addBlock(JsonObject block, StringBuilder text, List<RawJson> images)
            throws MalformedJsonException {
        if (block.string("type").orElse("").equals("image")) {
            var json = JsonWriter.object().put("type", "image").name("source").open('{');
            json.put("type", "base64").put("media_type", block.string("mimeType").orElse(""));
            images.add(json.put("data", block.raw("data").orElse(null)).close('}').end());
        } else {
            addLine(text, blockText(block));
        }
    }

    /** Returns a content block as text. */
    static String blockText(JsonObject block) throws MalformedJsonException {
        return switch (block.string("type").orElse("")) {
            case "text" -> block.string("text").orElse("");
            case "resource_link" -> block.string("uri").orElse("");
            case "resource" -> {
                var resource = block.object("resource").orElse(block);
                yield resource.string("text").orElse(resource.string("uri").orElse(""));
            }
            default -> "[" + block.string("type").orElse("unknown") + "]";
        };
    }

    private static void addLine(StringBuilder text, String line) {
        if (!text.isEmpty() && !line.isEmpty()) {
            text.append('\n');
        }
        text.append(line);
    }

    /** Returns the output as text: a string, or the fields that agents use for it. */
    private static String output(AcpCall call) throws MalformedJsonException {
        var raw = call.output();
        if (raw.isEmpty()) {
            return "";
        }
        if (raw.get().byteAt(0) != '{') {
            return JsonObject.text(raw.get()).orElse(raw.get().toString());
        }
        var json = JsonObject.parse(raw.get());
        var output = json.string("output");
        if (output.isPresent()) {
            return output.get();
        }
        return json.string("stdout").orElse("") + json.string("stderr").orElse("");
    }

    /** Returns the exit code of a command; 0 if there is none. */
    private static long exitCode(AcpCall call) throws MalformedJsonException {
        var raw = call.output().filter(value -> value.byteAt(0) == '{');
        if (raw.isEmpty()) {
            return 0;
        }
        var json = JsonObject.parse(raw.get());
        var metadata = json.object("metadata").orElse(json);
        return json.number("exit_code").orElse(metadata.number("exit").orElse(0));
    }

    private static RawJson blocks(String text, List<RawJson> images) {
        var json = new JsonWriter().open('[');
        if (!text.isEmpty()) {
            json.open('{').put("type", "text").put("text", text).close('}');
        }
        images.forEach(json::value);
        return json.close(']').toRawJson();
    }

    /** Returns the objects in an array, which may be absent; skips other elements. */
    static List<JsonObject> objects(@Nullable RawJson array) throws MalformedJsonException {
        var objects = new ArrayList<JsonObject>();
        for (var element : JsonObject.elements(array == null ? NONE : array)) {
            if (element.byteAt(0) == '{') {
                objects.add(JsonObject.parse(element));
            }
        }
        return objects;
    }
}
