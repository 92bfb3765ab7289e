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

    private final Consumer<SandboxId> removal;
    private final ThreadPoolExecutor executor =
            new ThreadPoolExecutor(
                    1,
                    1,
                    0,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MAX_QUEUED),
                    Thread.ofVirtual().name("sandbox-removal").factory(),
                    SandboxRemover::onRejected);

    SandboxRemover(Consumer<SandboxId> removal) {
        this.removal = removal;
    }

    /** Removes a terminated sandbox soon; does not block unless too many wait for their removal. */
    void removeSoon(SandboxId id) {
        executor.execute(() -> tryToRemove(id));
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
