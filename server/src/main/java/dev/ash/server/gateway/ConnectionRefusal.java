package dev.ash.server.gateway;

import java.util.Optional;

/** Why a connection is refused, and what to do about it. */
record ConnectionRefusal(String code, String message, String remediation) {
    static final ConnectionRefusal INSECURE =
            new ConnectionRefusal(
                    "INSECURE_TRANSPORT",
                    "The gateway requires wss:// (WebSocket Secure); ws:// is refused",
                    "Connect with wss://, or list the proxy that ends TLS in ASH_TRUSTED_PROXIES");

    static Optional<ConnectionRefusal> of(ConnectionSource source, boolean admitsPublic) {
        if (!source.encrypted()) {
            return Optional.of(INSECURE);
        }
        if (source.mode() == ConnectionMode.MISCONFIGURED) {
            return Optional.of(
                    new ConnectionRefusal(
                            "MISCONFIGURED",
                            "Forwarded headers came from %s, which is no trusted proxy"
                                    .formatted(source.address().getHostAddress()),
                            "List the proxy in ASH_TRUSTED_PROXIES, or connect without one"));
        }
        return source.mode() == ConnectionMode.DIRECT_PUBLIC && !admitsPublic
                ? Optional.of(
                        new ConnectionRefusal(
                                "MISCONFIGURED",
                                "This gateway takes no connections over the open internet",
                                "Connect through a tunnel, or set ASH_GATEWAY_PUBLIC=1"))
                : Optional.empty();
    }
}
