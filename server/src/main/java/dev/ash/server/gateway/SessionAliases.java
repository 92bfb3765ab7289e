package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.Device;
import java.util.Optional;

/**
 * Resolves the names of terminal sessions in requests to session ids: forwarders choose names that
 * are not UUIDs, and Ash assigns a UUID to each.
 */
final class SessionAliases {
    private static final String FIELD = "session_id";

    /** Returns the request with a name in {@code session_id} replaced by the id. */
    static GatewayFrame resolve(DeviceSessions sessions, Device device, GatewayFrame request)
            throws MalformedJsonException {
        var fields = request.fields();
        var name = name(fields);
        var id = name.flatMap(text -> sessions.findTerminalId(device.tenant(), text));
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

    /** Returns empty for a value of another type, which the handler of the request rejects. */
    private static Optional<String> name(JsonObject fields) {
        try {
            return fields.string(FIELD);
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private SessionAliases() {}
}
