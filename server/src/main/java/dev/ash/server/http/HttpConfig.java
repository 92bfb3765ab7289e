package dev.ash.server.http;

import dev.ash.protocol.Limits;
import java.time.Duration;
import java.util.Set;

/**
 * Where to listen and whom to believe.
 *
 * @param port 0 takes any free one
 * @param stalledReader a connection without progress for this long is cut
 * @param drain how long requests under way may take to finish when the server closes
 * @param allowedHosts names that a {@code Host} header may carry besides the loopback ones
 * @param allowedOrigins web origins whose pages may call the API, as {@code https://host[:port]}
 * @param requestsPerMinute how many requests a key may make; 0 for any number
 */
public record HttpConfig(
        String host,
        int port,
        Duration stalledReader,
        Duration drain,
        Set<String> allowedHosts,
        Set<String> allowedOrigins,
        int requestsPerMinute) {

    public HttpConfig {
        allowedHosts = Set.copyOf(allowedHosts);
        allowedOrigins = Set.copyOf(allowedOrigins);
    }

    public HttpConfig(String host, int port) {
        this(
                host,
                port,
                Limits.STALLED_READER_TIMEOUT,
                Duration.ofSeconds(5),
                Set.of(),
                Set.of(),
                0);
    }
}
