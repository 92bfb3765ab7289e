package dev.ash.server.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to open a WebSocket.
 *
 * @param peer the remote address of the connection; all zeros if unknown
 * @param isEncrypted whether the connection uses TLS
 * @param headers all values by lower-case header name
 */
public record SocketRequest(
        InetAddress peer,
        boolean isEncrypted,
        @Nullable String host,
        @Nullable String authority,
        Map<String, List<String>> headers) {

    public List<String> values(String header) {
        return headers.getOrDefault(header.toLowerCase(Locale.ROOT), List.of());
    }

    public boolean has(String header) {
        return !values(header).isEmpty();
    }
}
