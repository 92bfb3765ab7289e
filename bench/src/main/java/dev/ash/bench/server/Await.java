package dev.ash.bench.server;

import java.io.IOException;
import java.time.Duration;

/** Polls for a condition of another process. */
public final class Await {
    private static final long INTERVAL_MILLIS = 10;

    /** A condition that can be polled. */
    public interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    public static void until(String what, Duration timeout, Condition condition)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "timeout after %d s while waiting for %s"
                                .formatted(timeout.toSeconds(), what));
            }
            Thread.sleep(INTERVAL_MILLIS);
        }
    }

    private Await() {}
}
