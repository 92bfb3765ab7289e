package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceScopes;
import dev.ash.server.device.Devices;
import dev.ash.server.gateway.DeviceMessage.Auth;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.DeviceIdentity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Authenticates the device of a connection, or pairs it. */
final class Admission {
    private static final String INVALID_TOKEN = "Invalid or expired token";

    private final ConnectionContext context;
    private final ConnectionSource source;

    /** The answer to {@code auth}. */
    sealed interface Result {
        record Admitted(Devices.Entrance entrance) implements Result {}

        record Refused(ConnectionRefusal why) implements Result {}
    }

    Admission(ConnectionContext context, ConnectionSource source) {
        this.context = context;
        this.source = source;
    }

    Result admit(Auth message) {
        var version = message.clientVersion();
        if (!ClientVersion.isCompatible(version)) {
            return new Result.Refused(
                    new ConnectionRefusal(
                            "VERSION_INCOMPATIBLE",
                            "client_version \"%s\" is not one that this gateway speaks; it speaks 0 and 1"
                                    .formatted(version),
                            "Update the app or the server"));
        }
        return switch (context.authenticator().authenticate(message.token()).orElse(null)) {
            case DeviceIdentity _ -> enter(message);
            case ApiKeyIdentity _ ->
                    wrongToken(
                            "This is an API key, and the gateway needs a device token",
                            "Pair the device (ash devices pair) and use the token that this shows");
            case null -> wrongToken(INVALID_TOKEN, null);
        };
    }

    private Result enter(Auth message) {
        boolean wantsToken = message.capabilities().contains(Capability.DEVICE_TOKEN);
        return context.devices()
                .enter(message.token(), message.platform(), wantsToken)
                .<Result>map(Result.Admitted::new)
                // Another device has just paired with this token.
                .orElseGet(() -> wrongToken(INVALID_TOKEN, null));
    }

    /** Limits only wrong tokens: other devices behind the same address have right ones. */
    private Result wrongToken(String message, @Nullable String remediation) {
        var address = Connections.address(source.address());
        if (context.failures().tooMany(address)) {
            return new Result.Refused(
                    new ConnectionRefusal(
                            "RATE_LIMITED",
                            "Too many wrong tokens came from this address; try again in a minute",
                            null));
        }
        context.failures().failed(address);
        return new Result.Refused(ConnectionRefusal.authFailed(message, remediation));
    }

    /** {@code newToken} is the one that the device uses from now on; null for the same. */
    GatewayFrame acknowledgment(AdmittedDevice admitted, @Nullable String newToken) {
        var device = admitted.device();
        var payload =
                context.server()
                        .addTo(JsonWriter.object(), device)
                        .put("connection_mode", source.mode().wire())
                        .put("connection_mode_description", source.description())
                        .put("requires_health_verification", true)
                        .put("purpose", admitted.isProbe() ? "probe" : "primary")
                        .put("device_token", newToken);
        if (admitted.capabilities().contains(Capability.SCOPES)) {
            payload.put("scopes", DeviceScopes.names(device.scopes()))
                    .put("token_expires_at", expiry(device));
        }
        return GatewayFrame.of("connection_ack", payload);
    }

    private static @Nullable String expiry(Device device) {
        var millis = device.tokenExpiresAt();
        return millis == null ? null : Instant.ofEpochMilli(millis).toString();
    }
}
