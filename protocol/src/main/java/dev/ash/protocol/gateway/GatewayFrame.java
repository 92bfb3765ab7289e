package dev.ash.protocol.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * One message between a device and the gateway.
 *
 * @param id what an answer or an error repeats of its request
 * @param payload an object; empty where a message has none
 */
public record GatewayFrame(String type, @Nullable String id, RawJson payload) {
    public static GatewayFrame of(String type, JsonWriter payload) {
        return new GatewayFrame(type, null, payload.end());
    }

    public GatewayFrame withId(@Nullable String other) {
        return new GatewayFrame(type, other, payload);
    }

    /**
     * Reads what a device sent; members that are not known are skipped.
     *
     * @throws MalformedJsonException with a sentence for the device
     */
    public static GatewayFrame parse(String text) throws MalformedJsonException {
        var json = JsonObject.parse(text);
        var type = json.requireString("type");
        var payload = json.raw("payload").orElse(RawJson.EMPTY_OBJECT);
        JsonObject.parse(payload); // an object, or refused here
        return new GatewayFrame(type, json.string("id").orElse(null), payload);
    }

    /** The id of a message that cannot be read, where that can be. */
    public static @Nullable String idIn(String text) {
        try {
            return JsonObject.parse(text).string("id").orElse(null);
        } catch (MalformedJsonException e) {
            return null;
        }
    }

    public JsonObject fields() throws MalformedJsonException {
        return JsonObject.parse(payload);
    }

    /** As it is sent. */
    public String text(String timestamp) {
        return JsonWriter.object()
                .put("type", type)
                .put("id", id)
                .put("timestamp", timestamp)
                .put("payload", payload)
                .end()
                .toString();
    }
}
