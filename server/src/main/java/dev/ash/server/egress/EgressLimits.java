package dev.ash.server.egress;

import java.time.Duration;

/**
 * How much a sandbox may ask of its proxy.
 *
 * @param head time for a request to arrive up to the end of its headers
 * @param idle silence after which a stream or a tunnel is closed
 * @param connect time to reach a host, its name included
 * @param sweep how exactly the times above are kept
 * @param connections open at once, for each sandbox
 */
public record EgressLimits(
        Duration head, Duration idle, Duration connect, Duration sweep, int connections) {
    public static final EgressLimits DEFAULT =
            new EgressLimits(
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1),
                    64);

    static final int MAX_HEAD_BYTES = 32 * 1024;
    static final int MAX_HEADERS = 100;

    /** What is read of a body whose request was refused, so that the sender reads the refusal. */
    static final int MAX_DRAINED_BYTES = 16 * 1024 * 1024;
}
