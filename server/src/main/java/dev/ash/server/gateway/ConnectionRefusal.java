package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reason for refusing or closing a connection, and its remedy. */
record ConnectionRefusal(String code, String message, @Nullable String remediation) {
    static final ConnectionRefusal INSECURE =
            new ConnectionRefusal(
                    "INSECURE_TRANSPORT",
                    "The gateway requires wss:// (WebSocket Secure); ws:// is refused",
                    "Connect with wss://, or list the proxy that terminates TLS in ASH_TRUSTED_PROXIES");

    /** Returns the refusal of an encrypted connection because of its source, if it is refused. */
    static Optional<ConnectionRefusal> forSource(ConnectionSource source, boolean admitsPublic) {
        if (source.mode() == ConnectionMode.MISCONFIGURED) {
            return Optional.of(
                    new ConnectionRefusal(
                            "MISCONFIGURED",
                            "Forwarded headers from %s, which is not a trusted proxy"
                                    .formatted(source.address().getHostAddress()),
                            "List the proxy in ASH_TRUSTED_PROXIES, or connect without one"));
        }
        return source.isPublic() && !admitsPublic
                ? Optional.of(
                        new ConnectionRefusal(
                                "MISCONFIGURED",
                                "This gateway does not accept connections over the public internet",
                                "Connect through a tunnel, or set ASH_GATEWAY_PUBLIC=1"))
                : Optional.empty();
    }

    static ConnectionRefusal authFailed(String message) {
        return authFailed(message, null);
    }

    static ConnectionRefusal authFailed(String message, @Nullable String remediation) {
        return new ConnectionRefusal("AUTH_FAILED", message, remediation);
    }

    static ConnectionRefusal tooManyConnections(String message) {
        return new ConnectionRefusal("RATE_LIMITED", message, "Close unused connections");
    }

    /** Returns the frame for the device; it has a link to the documentation only with a remedy. */
    GatewayFrame frame(ConnectionContext.ServerInfo server) {
        var documentation = remediation == null ? null : server.documentation();
        return ErrorFrames.ofConnection(code, message, documentation, remediation);
    }
}
