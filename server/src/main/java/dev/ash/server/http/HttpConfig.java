package dev.ash.server.http;

import dev.ash.protocol.Limits;
import java.time.Duration;
import java.util.Set;

/**
 * Configures an HTTP listener: its address, timeouts, accepted hosts and origins, and rate limit.
 *
 * @param port 0 for any free port
 * @param stalledReader the timeout of a connection without progress
 * @param drain how long requests in flight may take to complete when the server closes
 * @param allowedHosts names that a {@code Host} header may have besides the loopback ones
 * @param allowedOrigins web origins whose pages may call the API, as {@code https://host[:port]}
 * @param requestsPerMinute the rate limit of one key; 0 for none
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
