package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Converts the attachments of a message to content blocks of a prompt. */
final class Attachments {
    static RawJson content(String text, List<RawJson> attached) throws MalformedJsonException {
        var blocks = new JsonWriter().open('[');
        if (!text.isEmpty()) {
            blocks.value(JsonWriter.object().put("type", "text").put("text", text).end());
        }
        for (var each : attached) {
            blocks.value(block(JsonObject.parse(each)));
        }
        return blocks.close(']').toRawJson();
    }

    private static RawJson block(JsonObject file) throws MalformedJsonException {
        var media = file.requireString("media_type");
        var data = file.requireString("data");
        if (media.startsWith("text/")) {
            return JsonWriter.object()
                    .put("type", "text")
                    .put("text", file.string("name").orElse("file") + ":\n" + text(data))
                    .end();
        }
        var source =
                JsonWriter.object()
                        .put("type", "base64")
                        .put("media_type", media)
                        .put("data", data)
                        .end();
        if (media.startsWith("image/")) {
            return JsonWriter.object().put("type", "image").put("source", source).end();
        }
        if (media.equals("application/pdf")) {
            return JsonWriter.object().put("type", "document").put("source", source).end();
        }
        throw ApiException.invalid(
                "attachments",
                "must be images, PDF or text; \"%s\" is not supported".formatted(media));
    }

    private static String text(String data) {
        try {
            return new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid("attachments", "data must be base64");
        }
    }

    private Attachments() {}
}
