package dev.ash.pair.mcp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Map;

/** {@code send_message}, as another public tool calls {@code send_to_agent}, with its arguments. */
final class SendMessageAlias {
    static final String SEND = "send_message";
    static final String SEND_FOR = "send_to_agent";

    private static final Map<String, String> ARGUMENTS =
            Map.of("target", "to", "message", "content");

    private SendMessageAlias() {}

    /** Where no type is said it is chat: that tool knows no types. */
    static RawJson renamed(RawJson arguments) {
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
            return arguments; // refused where arguments are read
        }
    }
}
