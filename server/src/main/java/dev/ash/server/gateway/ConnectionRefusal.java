package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Why a connection is refused or ended, and what to do about it. */
record ConnectionRefusal(String code, String message, @Nullable String remediation) {
    static final ConnectionRefusal INSECURE =
            new ConnectionRefusal(
                    "INSECURE_TRANSPORT",
                    "The gateway requires wss:// (WebSocket Secure); ws:// is refused",
                    "Connect with wss://, or list the proxy that ends TLS in ASH_TRUSTED_PROXIES");

    /** Of an encrypted connection, for where it comes from. */
    static Optional<ConnectionRefusal> of(ConnectionSource source, boolean admitsPublic) {
        if (source.mode() == ConnectionMode.MISCONFIGURED) {
            return Optional.of(
                    new ConnectionRefusal(
                            "MISCONFIGURED",
                            "Forwarded headers came from %s, which is no trusted proxy"
                                    .formatted(source.address().getHostAddress()),
                            "List the proxy in ASH_TRUSTED_PROXIES, or connect without one"));
        }
        return source.isPublic() && !admitsPublic
                ? Optional.of(
                        new ConnectionRefusal(
                                "MISCONFIGURED",
                                "This gateway takes no connections over the open internet",
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
        return new ConnectionRefusal(
                "RATE_LIMITED", message, "Close connections that are not used");
    }

    /** The documentation goes with a remediation only. */
    GatewayFrame frame(ConnectionContext.ServerInfo server) {
        var documentation = remediation == null ? null : server.documentation();
        return ErrorFrames.ofConnection(code, message, documentation, remediation);
    }
}
