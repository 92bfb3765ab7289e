package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Device;
import dev.ash.server.gateway.DeviceMessage.CheckHealth;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/** How a connection is, as far as this end can tell. */
final class HealthCheck {
    static final String CLOCK_SKEW = "CLOCK_SKEW";

    private static final Duration CLOCK_DRIFT = Duration.ofMinutes(5);

    /** Whether the clock of the device is off, as far as it tells its time. */
    static boolean isSkewed(DeviceConnection.Context context, CheckHealth message) {
        var drift = drift(context, message);
        return message.timestamp() != null
                && (drift.isEmpty() || Math.abs(drift.getAsLong()) > CLOCK_DRIFT.toMillis());
    }

    /**
     * @param ready whether a person has accepted how the device connects, if that is needed
     * @param acceptsClock the same for the device's clock
     */
    static GatewayFrame answer(
            ConnectionSource source,
            DeviceConnection.Context context,
            Device device,
            CheckHealth message,
            boolean ready,
            boolean acceptsClock) {
        boolean isSkewed = isSkewed(context, message);
        boolean isHealthy = ready && acceptsClock;
        var payload =
                JsonWriter.object()
                        .put("status", isHealthy ? "healthy" : "warning")
                        .put("connection_mode", source.mode().wire());
        warnings(payload, ready, acceptsClock);
        payload.name("checks").open('{');
        payload.put("tls_valid", source.encrypted())
                .put("clock_sync", !isSkewed)
                .put("version_compatible", true) // else it would not be in
                .put("token_permissions", context.authenticator().isValid(device.identity()));
        payload.close('}');
        payload.put("server_timestamp", context.clock().instant().toString())
                .put("latency_ms", isSkewed ? 0 : Math.max(0, drift(context, message).orElse(0)))
                .put("client_nonce", message.clientNonce())
                .put("ready", isHealthy);
        if (!isHealthy) {
            payload.put("requires_acknowledgment", true);
        }
        return GatewayFrame.of("health_status", payload);
    }

    private static void warnings(JsonWriter payload, boolean ready, boolean acceptsClock) {
        payload.name("warnings").open('[');
        if (!ready) {
            payload.value(DeviceConnection.WARNING);
        }
        if (!acceptsClock) {
            payload.value(CLOCK_SKEW);
        }
        payload.close(']');
        if (ready && acceptsClock) {
            return;
        }
        payload.name("warning_details").open('{');
        if (!ready) {
            payload.put(
                    DeviceConnection.WARNING,
                    "This connection is over the open internet without a tunnel. Make sure that the"
                            + " certificate is the server's.");
        }
        if (!acceptsClock) {
            payload.put(
                    CLOCK_SKEW,
                    "The clocks of device and server differ by more than five minutes, or the"
                            + " timestamp cannot be read. Set the clocks, or acknowledge this.");
        }
        payload.close('}');
    }

    /** How long ago it was sent, in milliseconds; empty if that cannot be read. */
    private static OptionalLong drift(DeviceConnection.Context context, CheckHealth message) {
        try {
            var sent = Instant.parse(String.valueOf(message.timestamp()));
            return OptionalLong.of(context.clock().millis() - sent.toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            return OptionalLong.empty();
        }
    }

    private HealthCheck() {}
}
