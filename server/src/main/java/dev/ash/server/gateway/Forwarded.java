package dev.ash.server.gateway;

import java.util.List;
import java.util.Locale;

/**
 * What proxies say of the connection that they pass on: the headers {@code X-Forwarded-For} and
 * {@code X-Forwarded-Proto}, each value in the order in which hops have added them. Anybody can
 * write them, so they count only from a proxy that is trusted.
 */
record Forwarded(List<String> addresses, List<String> protocols, boolean other) {
    static final Forwarded NOTHING = new Forwarded(List.of(), List.of(), false);

    Forwarded {
        addresses = List.copyOf(addresses);
        protocols = List.copyOf(protocols);
    }

    boolean isPresent() {
        return other || !addresses.isEmpty() || !protocols.isEmpty();
    }

    /** The last hop's word on how it was reached. */
    boolean encrypted() {
        return !protocols.isEmpty()
                && List.of("https", "wss")
                        .contains(protocols.getLast().strip().toLowerCase(Locale.ROOT));
    }
}
