package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.Device;
import java.util.Optional;

/**
 * Lets a device name the session of a terminal as the terminal itself does: forwarders choose names
 * that are not UUIDs, and Ash knows each by a UUID of its own.
 */
final class SessionAliases {
    private static final String FIELD = "session_id";

    /** The request with the id of the session, where it has a name of it. */
    static GatewayFrame resolved(KnownSessions sessions, Device device, GatewayFrame request)
            throws MalformedJsonException {
        var fields = request.fields();
        var name = name(fields);
        var id = name.flatMap(text -> sessions.named(device.tenant(), text));
        if (id.isEmpty() || id.get().value().equals(name.get())) {
            return request;
        }
        var payload = JsonWriter.object().put(FIELD, id.get().value());
        for (var other : fields.names()) {
            if (!other.equals(FIELD)) {
                payload.put(other, fields.raw(other).orElse(RawJson.NULL));
            }
        }
        return new GatewayFrame(request.type(), request.id(), payload.end());
    }

    /** Whatever is no text is left to the request itself to refuse. */
    private static Optional<String> name(JsonObject fields) {
        try {
            return fields.string(FIELD);
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private SessionAliases() {}
}
