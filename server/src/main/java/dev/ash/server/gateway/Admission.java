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

/** Authenticates or pairs the device of a connection. */
final class Admission {
    private static final String INVALID_TOKEN = "Invalid or expired token";

    private final ConnectionContext context;
    private final ConnectionSource source;

    /** The answer to {@code auth}. */
    sealed interface Result {
        record Admitted(Devices.AuthenticatedDevice authenticated) implements Result {}

        record Refused(ConnectionRefusal refusal) implements Result {}
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
                            "client_version \"%s\" is not supported; this gateway supports versions 0.x and 1.x"
                                    .formatted(version),
                            "Update the app or the server"));
        }
        return switch (context.authenticator().authenticate(message.token()).orElse(null)) {
            case DeviceIdentity _ -> authenticate(message);
            case ApiKeyIdentity _ ->
                    refuseToken(
                            "The gateway requires a device token, not an API key",
                            "Pair the device (ash devices pair) and use the displayed token");
            case null -> refuseToken(INVALID_TOKEN, null);
        };
    }

    private Result authenticate(Auth message) {
        boolean replacesToken = message.capabilities().contains(Capability.DEVICE_TOKEN);
        return context.devices()
                .authenticate(message.token(), message.platform(), replacesToken)
                .<Result>map(Result.Admitted::new)
                // Another device has just paired with this token.
                .orElseGet(() -> refuseToken(INVALID_TOKEN, null));
    }

    /** Limits only invalid tokens: other devices behind the same address have valid ones. */
    private Result refuseToken(String message, @Nullable String remediation) {
        var address = Connections.limitKey(source.address());
        if (context.authFailures().isBlocked(address)) {
            return new Result.Refused(
                    new ConnectionRefusal(
                            "RATE_LIMITED",
                            "Too many invalid tokens from this address; retry in one minute",
                            null));
        }
        context.authFailures().recordFailure(address);
        return new Result.Refused(ConnectionRefusal.authFailed(message, remediation));
    }

    /** {@code newToken} replaces the token of the device; null to keep it. */
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
