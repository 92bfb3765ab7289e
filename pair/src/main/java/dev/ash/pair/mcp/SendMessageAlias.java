package dev.ash.pair.mcp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Map;

/**
 * Accepts {@code send_message}, the name of {@code send_to_agent} in another public tool, and its
 * arguments.
 */
final class SendMessageAlias {
    static final String NAME = "send_message";

    private static final Map<String, String> ARGUMENTS =
            Map.of("target", "to", "message", "content");

    private SendMessageAlias() {}

    /** Renames the arguments; the type defaults to chat, because that tool has no types. */
    static RawJson renameArguments(RawJson arguments) {
        try {
            var object = JsonObject.parse(arguments);
            var json = JsonWriter.object();
            for (var name : object.names()) {
                json.put(ARGUMENTS.getOrDefault(name, name), object.raw(name).orElse(RawJson.NULL));
            }
            if (object.raw("message_type").isEmpty()) {
                json.put("message_type", "chat");
            }
            return json.end();
        } catch (MalformedJsonException e) {
            return arguments; // rejected when the arguments are parsed
        }
    }
}
