package dev.ash.server.egress.http;

import java.time.Duration;

/**
 * How much a sandbox may ask of its proxy.
 *
 * @param head time for a request to arrive up to the end of its headers
 * @param idle silence after which a stream or a tunnel is closed
 * @param connect time to reach a host, its name included
 * @param sweep how exactly the times above are kept
 * @param connections open at once, for each sandbox
 * @param drain time to read the rest of the model's answer once its client is gone
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

    /** Longer than for the other side, so that the client can be told of that one's silence. */
    Duration clientIdle() {
        return idle.multipliedBy(2);
    }

    static final int MAX_HEAD_BYTES = 32 * 1024;
    static final int MAX_HEADERS = 100;

    /**
     * What is read of a body whose request was refused, so that the sender reads the refusal; and
     * of an answer whose client is gone.
     */
    static final int MAX_DRAINED_BYTES = 16 * 1024 * 1024;
}
