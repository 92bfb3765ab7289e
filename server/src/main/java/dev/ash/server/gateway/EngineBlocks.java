package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Optional;

/** Looks into messages of an engine; what does not look as expected holds nothing. */
final class EngineBlocks {
    /** The name of the tool that this call is of, if the message makes that call. */
    static Optional<String> toolName(RawJson message, String toolCallId) {
        try {
            for (var element : blocks(JsonObject.parse(message))) {
                var block = JsonObject.parse(element);
                if (block.string("type").orElse("").equals("tool_use")
                        && block.string("id").orElse("").equals(toolCallId)) {
                    return block.string("name");
                }
            }
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    /** The text in a part of the assistant's message with this id. */
    static String text(RawJson message, String messageId) {
        var text = new StringBuilder();
        try {
            var data = JsonObject.parse(message);
            var said = data.object("message");
            if (!data.string("type").orElse("").equals("assistant")
                    || said.isEmpty()
                    || !said.get().string("id").orElse("").equals(messageId)) {
                return "";
            }
            for (var element : blocks(data)) {
                var block = JsonObject.parse(element);
                if (block.string("type").orElse("").equals("text")) {
                    text.append(block.string("text").orElse(""));
                }
            }
        } catch (MalformedJsonException e) {
            return text.toString();
        }
        return text.toString();
    }

    private static List<RawJson> blocks(JsonObject data) throws MalformedJsonException {
        var content = data.object("message").flatMap(message -> message.raw("content"));
        return content.isPresent() && content.get().toString().startsWith("[")
                ? JsonObject.elements(content.get())
                : List.of();
    }

    private EngineBlocks() {}
}
