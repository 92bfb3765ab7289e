package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.gateway.DeviceMessage.CheckHealth;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The result of a health check of a connection.
 *
 * @param acceptsConnection whether there is no unacknowledged warning about a public connection
 * @param acceptsClock whether there is no unacknowledged warning about clock skew
 */
record HealthCheck(
        ConnectionSource source,
        boolean acceptsConnection,
        boolean isSkewed,
        boolean acceptsClock,
        boolean isTokenValid) {

    private static final Duration MAX_CLOCK_SKEW = Duration.ofMinutes(5);

    /** Returns whether the clock of the device is wrong; false if it does not send its time. */
    static boolean isSkewed(Clock clock, CheckHealth message) {
        var drift = drift(clock, message);
        return message.timestamp() != null
                && (drift.isEmpty() || Math.abs(drift.getAsLong()) > MAX_CLOCK_SKEW.toMillis());
    }

    /** Returns server time minus device time in milliseconds; empty for an invalid timestamp. */
    private static OptionalLong drift(Clock clock, CheckHealth message) {
        try {
            var sent = Instant.parse(String.valueOf(message.timestamp()));
            return OptionalLong.of(clock.millis() - sent.toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            return OptionalLong.empty();
        }
    }

    GatewayFrame frame(Clock clock, CheckHealth message) {
        boolean isHealthy = acceptsConnection && acceptsClock;
        var payload =
                JsonWriter.object()
                        .put("status", isHealthy ? "healthy" : "warning")
                        .put("connection_mode", source.mode().wire());
        warnings(payload);
        payload.name("checks").open('{');
        payload.put("tls_valid", source.encrypted())
                .put("clock_sync", !isSkewed)
                .put("version_compatible", true) // checked at admission
                .put("token_permissions", isTokenValid);
        payload.close('}');
        payload.put("server_timestamp", clock.instant().toString())
                .put("latency_ms", isSkewed ? 0 : Math.max(0, drift(clock, message).orElse(0)))
                .put("client_nonce", message.clientNonce())
                .put("ready", isHealthy);
        if (!isHealthy) {
            payload.put("requires_acknowledgment", true);
        }
        return GatewayFrame.of("health_status", payload);
    }

    private void warnings(JsonWriter payload) {
        payload.name("warnings").open('[');
        if (!acceptsConnection) {
            payload.value(ConnectionWarnings.PUBLIC_CONNECTION);
        }
        if (!acceptsClock) {
            payload.value(ConnectionWarnings.CLOCK_SKEW);
        }
        payload.close(']');
        if (acceptsConnection && acceptsClock) {
            return;
        }
        payload.name("warning_details").open('{');
        if (!acceptsConnection) {
            payload.put(
                    ConnectionWarnings.PUBLIC_CONNECTION,
                    "This connection is over the public internet without a tunnel. Verify that the"
                            + " certificate is the server's.");
        }
        if (!acceptsClock) {
            payload.put(
                    ConnectionWarnings.CLOCK_SKEW,
                    "The clocks of device and server differ by more than five minutes, or the"
                            + " timestamp is invalid. Correct the clocks, or acknowledge this.");
        }
        payload.close('}');
    }
}
