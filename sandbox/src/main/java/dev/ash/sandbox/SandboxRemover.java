package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Removes the files of discarded sandboxes on a background thread, so that no request waits for it.
 * Nothing is lost if the server exits before: the row of a sandbox is deleted last, and the next
 * server removes the sandboxes that belong to no session.
 */
final class SandboxRemover implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SandboxRemover.class.getName());
    private static final int MAX_QUEUED = 10_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofMillis(300);
    private static final Duration MAX_DELAY = Duration.ofSeconds(5);

    private final Consumer<SandboxId> removal;
    private final Duration quiet;
    private final Duration maxDelay;
    private final ThreadPoolExecutor executor =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MAX_QUEUED),
                    Thread.ofVirtual().name("sandbox-removal").factory(),
                    SandboxRemover::onRejected);
    private long lastActivity = System.nanoTime(); // guarded by this
    private boolean closed; // guarded by this

    SandboxRemover(Consumer<SandboxId> removal) {
        this(removal, QUIET, MAX_DELAY);
    }

    /** Waits until there is no activity for the time {@code quiet}, at most {@code maxDelay}. */
    SandboxRemover(Consumer<SandboxId> removal, Duration quiet, Duration maxDelay) {
        this.removal = removal;
        this.quiet = quiet;
        this.maxDelay = maxDelay;
    }

    /** Removes a terminated sandbox soon; does not block unless too many wait for their removal. */
    void removeSoon(SandboxId id) {
        long latest = System.nanoTime() + maxDelay.toNanos();
        executor.execute(
                () -> {
                    awaitQuiet(latest);
                    tryToRemove(id);
                });
    }

    /** Records that a session uses the pool: removals wait until there is no such activity. */
    synchronized void recordActivity() {
        lastActivity = System.nanoTime();
    }

    /**
     * Deleting many files delays the commits of the database on the same disk: creating a session
     * took 5 ms longer while another one was removed.
     */
    private synchronized void awaitQuiet(long latest) {
        try {
            for (long wait = nanosUntilQuiet(latest);
                    wait > 0 && !closed;
                    wait = nanosUntilQuiet(latest)) {
                TimeUnit.NANOSECONDS.timedWait(this, wait);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized long nanosUntilQuiet(long latest) {
        long now = System.nanoTime();
        return Math.min(lastActivity + quiet.toNanos() - now, latest - now);
    }

    private void tryToRemove(SandboxId id) {
        try {
            removal.accept(id);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "Cannot remove sandbox " + id, e);
        }
    }

    /** Runs the removal in the caller if the queue is full. */
    private static void onRejected(Runnable removal, ThreadPoolExecutor executor) {
        if (!executor.isShutdown()) {
            removal.run();
        }
    }

    /** Completes the removals that take a short time; the next server does the others. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        executor.shutdown();
        try {
            if (!executor.awaitTermination(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                executor.getQueue().clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
