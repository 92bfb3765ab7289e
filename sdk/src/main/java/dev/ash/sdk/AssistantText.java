package dev.ash.sdk;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** Finds what an engine's message says to the person, in any of the shapes that engines use. */
public final class AssistantText {
    private AssistantText() {}

    /**
     * The text of an assistant's message; empty for other messages, for tool uses and for what a
     * sub-agent says to its parent.
     */
    public static String of(RawJson message) {
        try {
            var object = JsonObject.parse(message);
            var isAssistant = object.string("type").orElse("").equals("assistant");
            if (!isAssistant || object.raw("parent_tool_use_id").isPresent()) {
                return "";
            }
            var content = object.object("message").flatMap(inner -> inner.raw("content"));
            return content.isPresent() ? text(content.get()) : "";
        } catch (MalformedJsonException e) {
            return "";
        }
    }

    private static String text(RawJson content) throws MalformedJsonException {
        if (content.byteAt(0) != '[') {
            return JsonObject.text(content).orElse("");
        }
        var text = new StringBuilder();
        for (var element : JsonObject.elements(content)) {
            var block = JsonObject.parse(element);
            if (block.string("type").orElse("").equals("text")) {
                text.append(block.string("text").orElse(""));
            }
        }
        return text.toString();
    }
}
