package dev.ash.server.gateway;

import java.util.List;
import java.util.Locale;

/**
 * The headers {@code X-Forwarded-For} and {@code X-Forwarded-Proto} of a request, with their values
 * in the order in which proxies have added them. Any client can send them, so they are used only
 * from trusted proxies.
 *
 * @param hasOther whether the request has other headers that proxies add
 */
record ForwardedHeaders(List<String> addresses, List<String> protocols, boolean hasOther) {
    static final ForwardedHeaders NONE = new ForwardedHeaders(List.of(), List.of(), false);

    ForwardedHeaders {
        addresses = List.copyOf(addresses);
        protocols = List.copyOf(protocols);
    }

    boolean isPresent() {
        return hasOther || !addresses.isEmpty() || !protocols.isEmpty();
    }

    /** Returns whether the last proxy received the request over TLS. */
    boolean isEncrypted() {
        return !protocols.isEmpty()
                && List.of("https", "wss")
                        .contains(protocols.getLast().strip().toLowerCase(Locale.ROOT));
    }
}
