package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.Device;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** How a connection is, as far as this end can tell. */
final class HealthCheck {
    private static final Duration CLOCK_DRIFT = Duration.ofMinutes(5);

    /** {@code ready}: whether a person has accepted how the device connects, if that is needed. */
    static GatewayFrame answer(
            Reach reach,
            DeviceConnection.Gate gate,
            Device device,
            JsonObject fields,
            boolean ready)
            throws MalformedJsonException {
        long now = gate.clock().millis();
        long sent = instant(fields, "timestamp");
        boolean inStep = sent > 0 && Math.abs(now - sent) <= CLOCK_DRIFT.toMillis();
        var payload =
                JsonWriter.object()
                        .put("status", ready && inStep ? "healthy" : "warning")
                        .put("connection_mode", reach.mode().wire());
        warnings(payload, ready, inStep);
        payload.name("checks").open('{');
        payload.put("tls_valid", reach.encrypted())
                .put("clock_sync", inStep)
                .put("version_compatible", true) // else it would not be in
                .put("token_permissions", gate.authenticator().isValid(device.identity()));
        payload.close('}');
        payload.put("server_timestamp", Instant.ofEpochMilli(now).toString())
                .put("latency_ms", inStep ? Math.max(0, now - sent) : 0)
                .put("client_nonce", fields.string("client_nonce").orElse(null))
                .put("ready", ready && inStep);
        if (!ready) {
            payload.put("requires_acknowledgment", true);
        }
        return GatewayFrame.of("health_status", payload);
    }

    private static void warnings(JsonWriter payload, boolean ready, boolean inStep) {
        payload.name("warnings").open('[');
        if (!ready) {
            payload.value(DeviceConnection.WARNING);
        }
        if (!inStep) {
            payload.value("CLOCK_SKEW");
        }
        payload.close(']');
        if (ready && inStep) {
            return;
        }
        payload.name("warning_details").open('{');
        if (!ready) {
            payload.put(
                    DeviceConnection.WARNING,
                    "This connection is over the open internet without a tunnel. Make sure that the"
                            + " certificate is the server's.");
        }
        if (!inStep) {
            payload.put(
                    "CLOCK_SKEW",
                    "The clocks of device and server differ by more than five minutes. Set them.");
        }
        payload.close('}');
    }

    /** In milliseconds; 0 if it cannot be read. */
    private static long instant(JsonObject fields, String name) {
        try {
            return Instant.parse(fields.string(name).orElse("")).toEpochMilli();
        } catch (DateTimeException | ArithmeticException | MalformedJsonException e) {
            return 0;
        }
    }

    private HealthCheck() {}
}
