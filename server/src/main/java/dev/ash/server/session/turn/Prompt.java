package dev.ash.server.session.turn;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Set;

/** Validates the {@code content} of a message. */
final class Prompt {
    private static final Set<String> BLOCKS = Set.of("text", "image", "document");
    private static final int MAX_BLOCKS = 20;

    static void check(RawJson content) {
        try {
            if (content.byteAt(0) == '[') {
                checkBlocks(content);
            } else {
                checkText(
                        "content",
                        JsonObject.text(content)
                                .orElseThrow(
                                        () ->
                                                ApiException.invalid(
                                                        "content",
                                                        "must be a string or an array of blocks")));
            }
        } catch (MalformedJsonException e) {
            throw ApiException.invalid("content", "every block must be an object with a type");
        }
    }

    /** Returns the prompt with a text block of the server before it, unless the text is empty. */
    static RawJson prepend(String before, RawJson content) {
        if (before.isEmpty()) {
            return content;
        }
        var blocks = new JsonWriter().open('[');
        writeTextBlock(blocks, RawJson.string(before));
        if (content.byteAt(0) == '[') {
            try {
                JsonObject.elements(content).forEach(blocks::value);
            } catch (MalformedJsonException e) {
                throw new IllegalArgumentException(e); // checked before
            }
        } else {
            writeTextBlock(blocks, content);
        }
        return blocks.close(']').toRawJson();
    }

    private static void writeTextBlock(JsonWriter blocks, RawJson text) {
        blocks.open('{').put("type", "text").put("text", text).close('}');
    }

    private static void checkText(String field, String text) {
        if (text.isEmpty()) {
            throw ApiException.invalid(field, "must not be empty");
        }
        if (text.length() > Limits.MAX_PROMPT_CHARS) {
            throw ApiException.invalid(
                    field, "must have at most %,d characters".formatted(Limits.MAX_PROMPT_CHARS));
        }
    }

    private static void checkBlocks(RawJson content) throws MalformedJsonException {
        var blocks = JsonObject.elements(content);
        if (blocks.isEmpty() || blocks.size() > MAX_BLOCKS) {
            throw ApiException.invalid("content", "must have 1 to " + MAX_BLOCKS + " blocks");
        }
        for (int i = 0; i < blocks.size(); i++) {
            var field = "content[" + i + "]";
            var block = JsonObject.parse(blocks.get(i));
            var type = block.string("type").orElse("");
            if (!BLOCKS.contains(type)) {
                throw ApiException.invalid(field + ".type", "must be text, image or document");
            }
            if (type.equals("text")) {
                checkText(field + ".text", block.string("text").orElse(""));
            } else if (block.object("source").isEmpty()) {
                throw ApiException.invalid(field + ".source", "must be an object");
            }
        }
    }

    private Prompt() {}
}
