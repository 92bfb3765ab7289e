package dev.ash.pair.mailbox;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A write operation that the writer thread executes for a waiting caller, unless it times out
 * first.
 */
final class WriteJob<T> {
    /** The operation; runs while the writer holds the lock between processes. */
    interface Work<T> {
        T run() throws IOException;
    }

    private final Work<T> work;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CompletableFuture<T> result = new CompletableFuture<>();

    WriteJob(Work<T> work) {
        this.work = work;
    }

    /** Executes the job and returns a callback that completes it once the batch is on disk. */
    Runnable run() {
        if (started.getAndSet(true)) {
            return () -> {};
        }
        try {
            var value = work.run();
            return () -> result.complete(value);
        } catch (IOException | RuntimeException e) {
            return () -> fail(e);
        }
    }

    void fail(Throwable cause) {
        result.completeExceptionally(cause);
    }

    /**
     * Waits for the result. A job that has not started within the timeout is abandoned. Interrupts
     * do not shorten the wait; the interrupt status is restored.
     */
    T await(Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long left = Math.max(0, deadline - System.nanoTime());
                    return result.get(started.get() ? Long.MAX_VALUE : left, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    if (!started.getAndSet(true)) {
                        throw new IOException(
                                "Another process has held the mailbox lock for "
                                        + timeout.toSeconds()
                                        + " s; check whether it is suspended",
                                e);
                    }
                } catch (ExecutionException e) {
                    switch (e.getCause()) {
                        case IOException io -> throw io;
                        case RuntimeException known -> throw known;
                        case null, default -> throw new IllegalStateException(e);
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
