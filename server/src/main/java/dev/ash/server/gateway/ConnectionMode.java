package dev.ash.server.gateway;

import java.util.Locale;

/** How a device reaches the gateway, from the least to the most exposed. */
public enum ConnectionMode {
    LOCAL_ONLY("Loopback connection"),
    PRIVATE_NETWORK("Private network connection"),
    SECURE_REMOTE("Secure tunnel connection"),
    DIRECT_PUBLIC("Direct public connection"),
    MISCONFIGURED("Insecure setup");

    private final String description;

    ConnectionMode(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
