package dev.ash.server.gateway;

import java.util.Optional;

/** Why a connection is refused for the way in which it comes, and what to do about it. */
record Refusal(String code, String message, String remediation) {
    static final Refusal INSECURE =
            new Refusal(
                    "INSECURE_TRANSPORT",
                    "The gateway requires wss:// (WebSocket Secure); ws:// is refused",
                    "Connect with wss://, or list the proxy that ends TLS in ASH_TRUSTED_PROXIES");

    static Optional<Refusal> of(Reach reach, boolean admitsPublic) {
        if (!reach.encrypted()) {
            return Optional.of(INSECURE);
        }
        if (reach.mode() == ConnectionMode.MISCONFIGURED) {
            return Optional.of(
                    new Refusal(
                            "MISCONFIGURED",
                            "Forwarded headers came from %s, which is no trusted proxy"
                                    .formatted(reach.address().getHostAddress()),
                            "List the proxy in ASH_TRUSTED_PROXIES, or connect without one"));
        }
        return reach.mode() == ConnectionMode.DIRECT_PUBLIC && !admitsPublic
                ? Optional.of(
                        new Refusal(
                                "MISCONFIGURED",
                                "This gateway takes no connections over the open internet",
                                "Connect through a tunnel, or set ASH_GATEWAY_PUBLIC=1"))
                : Optional.empty();
    }
}
