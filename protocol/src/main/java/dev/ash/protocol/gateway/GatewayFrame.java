package dev.ash.protocol.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * One message between a device and the gateway.
 *
 * @param id the id of a request; a response or an error repeats it
 * @param payload a JSON object; empty if the message has no payload
 */
public record GatewayFrame(String type, @Nullable String id, RawJson payload) {
    public static GatewayFrame of(String type, JsonWriter payload) {
        return new GatewayFrame(type, null, payload.end());
    }

    public GatewayFrame withId(@Nullable String other) {
        return new GatewayFrame(type, other, payload);
    }

    /**
     * Parses a message from a device; ignores unknown fields.
     *
     * @throws MalformedJsonException with a message for the device
     */
    public static GatewayFrame parse(String text) throws MalformedJsonException {
        var json = JsonObject.parse(text);
        var type = json.requireString("type");
        var payload = json.raw("payload").orElse(RawJson.EMPTY_OBJECT);
        JsonObject.parse(payload); // rejects a payload that is not an object
        return new GatewayFrame(type, json.string("id").orElse(null), payload);
    }

    /** Returns the id of a malformed message, or null if it cannot be determined. */
    public static @Nullable String parseId(String text) {
        try {
            return JsonObject.parse(text).string("id").orElse(null);
        } catch (MalformedJsonException e) {
            return null;
        }
    }

    public JsonObject fields() throws MalformedJsonException {
        return JsonObject.parse(payload);
    }

    /** Returns the JSON text of this message with the given timestamp. */
    public String toJson(String timestamp) {
        return JsonWriter.object()
                .put("type", type)
                .put("id", id)
                .put("timestamp", timestamp)
                .put("payload", payload)
                .end()
                .toString();
    }
}
