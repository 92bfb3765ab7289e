package dev.ash.sdk;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** Extracts the assistant's text from engine messages. */
public final class AssistantText {
    private AssistantText() {}

    /**
     * Returns the text of an assistant message; empty for other messages, tool uses and messages of
     * subagents.
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
