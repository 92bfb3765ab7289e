package dev.ash.server.egress.http;

import java.time.Duration;

/**
 * The limits of one sandbox's proxy.
 *
 * @param head time to receive a request up to the end of its headers
 * @param idle time without data after which a stream or a tunnel is closed
 * @param connect time to resolve a host, and time to connect to it
 * @param sweep interval at which deadlines are checked
 * @param connections maximum number of concurrent connections
 * @param drain time to read the rest of a metered response after its client has disconnected
 */
public record EgressLimits(
        Duration head,
        Duration idle,
        Duration connect,
        Duration sweep,
        int connections,
        Duration drain) {
    public static final EgressLimits DEFAULT =
            new EgressLimits(
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1),
                    64,
                    Duration.ofSeconds(30));

    /** Longer than for the upstream connection, so that the client receives its timeout error. */
    Duration clientIdle() {
        return idle.multipliedBy(2);
    }

    static final int MAX_HEAD_BYTES = 32 * 1024;
    static final int MAX_HEADERS = 100;

    /**
     * Maximum number of bytes to discard: of the body of a rejected request, so that its sender
     * reads the error, and of a response whose client has disconnected.
     */
    static final int MAX_DRAINED_BYTES = 16 * 1024 * 1024;
}
