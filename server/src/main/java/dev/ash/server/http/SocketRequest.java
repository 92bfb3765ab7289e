package dev.ash.server.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that asks for a WebSocket.
 *
 * @param peer who is at the other end of the connection; all zeros if that is not known
 * @param isEncrypted whether that connection is
 * @param headers by their names in lower case; each may stand in a request several times
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
