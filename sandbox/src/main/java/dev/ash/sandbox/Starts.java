package dev.ash.sandbox;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets few sandboxes start at the same time, in the order in which they came. To start one is work
 * for the processor: if all of many start at once, each takes as long as all together, and the last
 * ones miss the time in which a bridge has to say {@code ready}.
 *
 * <p>A start that takes long counts no more after a while, so that bridges that hang, or have
 * hardly any processor, do not keep others from theirs.
 */
final class Starts {
    private static final int LEAST = 4;
    private static final Duration COUNTS_FOR = Duration.ofSeconds(2);

    private final Semaphore free;
    private final Duration countsFor;

    Starts(int atOnce, Duration countsFor) {
        this.free = new Semaphore(atOnce, true);
        this.countsFor = countsFor;
    }

    static Starts forThisMachine() {
        int processors = Runtime.getRuntime().availableProcessors();
        return new Starts(Math.max(LEAST, 2 * processors), COUNTS_FOR);
    }

    /** Waits until another may start; who is given one closes it once the sandbox runs. */
    Start begin() {
        free.acquireUninterruptibly();
        var start = new Start();
        CompletableFuture.delayedExecutor(countsFor.toMillis(), TimeUnit.MILLISECONDS)
                .execute(start::close);
        return start;
    }

    /** How many more may start now. */
    int free() {
        return free.availablePermits();
    }

    int waiting() {
        return free.getQueueLength();
    }

    final class Start implements AutoCloseable {
        private final AtomicBoolean counts = new AtomicBoolean(true);

        @Override
        public void close() {
            if (counts.compareAndSet(true, false)) {
                free.release();
            }
        }
    }
}
