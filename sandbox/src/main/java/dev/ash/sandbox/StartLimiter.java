package dev.ash.sandbox;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits concurrent sandbox starts, in FIFO order. A start is CPU-bound: if many run concurrently,
 * all of them take longer, and the last ones exceed the timeout for {@code ready}.
 *
 * <p>A slow start no longer counts after a while, so that bridges that hang or get little CPU time
 * do not block other starts.
 */
final class StartLimiter {
    private static final int MIN_CONCURRENT = 4;
    private static final Duration PERMIT_DURATION = Duration.ofSeconds(2);

    private final Semaphore permits;
    private final Duration permitDuration;

    StartLimiter(int maxConcurrent, Duration permitDuration) {
        this.permits = new Semaphore(maxConcurrent, true);
        this.permitDuration = permitDuration;
    }

    static StartLimiter forThisMachine() {
        int processors = Runtime.getRuntime().availableProcessors();
        return new StartLimiter(Math.max(MIN_CONCURRENT, 2 * processors), PERMIT_DURATION);
    }

    /** Waits for a permit; the caller closes it once the sandbox has started. */
    Permit acquire() {
        permits.acquireUninterruptibly();
        var permit = new Permit();
        CompletableFuture.delayedExecutor(permitDuration.toMillis(), TimeUnit.MILLISECONDS)
                .execute(permit::close);
        return permit;
    }

    /** Returns the number of available permits. */
    int available() {
        return permits.availablePermits();
    }

    int waiting() {
        return permits.getQueueLength();
    }

    /** Permission to start one sandbox; released when closed or expired, whichever comes first. */
    final class Permit implements AutoCloseable {
        private final AtomicBoolean held = new AtomicBoolean(true);

        @Override
        public void close() {
            if (held.compareAndSet(true, false)) {
                permits.release();
            }
        }
    }
}
