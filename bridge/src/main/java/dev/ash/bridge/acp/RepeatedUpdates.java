package dev.ash.bridge.acp;

import dev.ash.bridge.engine.Monitor;
import java.time.Duration;

/**
 * The updates that an agent repeats when it opens an earlier conversation. They should precede its
 * response, but Gemini sends them after it and does not report their end.
 */
final class RepeatedUpdates {
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Monitor state = new Monitor();
    private long count;

    void add() {
        state.enter();
        try {
            count++;
            state.signalAll();
        } finally {
            state.leave();
        }
    }

    /** Waits until no update arrives for a while, or for the limit. */
    void awaitEnd() {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        long seen;
        do {
            seen = count();
        } while (hasMoreThan(seen) && System.nanoTime() < deadline);
    }

    private long count() {
        state.enter();
        try {
            return count;
        } finally {
            state.leave();
        }
    }

    private boolean hasMoreThan(long seen) {
        return state.await(QUIET, () -> count > seen);
    }
}
