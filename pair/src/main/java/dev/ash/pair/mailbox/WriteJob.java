package dev.ash.pair.mailbox;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Something to do for somebody who waits: begun by the writer, or given up by whoever waits. */
final class WriteJob<T> {
    /** What is done while no other process writes. */
    interface Work<T> {
        T run() throws IOException;
    }

    private final Work<T> work;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final CompletableFuture<T> answer = new CompletableFuture<>();

    WriteJob(Work<T> work) {
        this.work = work;
    }

    /** Does it, and gives what answers it once all of the turn is on disk. */
    Runnable run() {
        if (taken.getAndSet(true)) {
            return () -> {};
        }
        try {
            var result = work.run();
            return () -> answer.complete(result);
        } catch (IOException | RuntimeException e) {
            return () -> fail(e);
        }
    }

    void fail(Throwable cause) {
        answer.completeExceptionally(cause);
    }

    /**
     * The result. Interrupts do not shorten the wait, and are not lost; one that has not begun in
     * this time never will.
     */
    T await(Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long left = Math.max(0, deadline - System.nanoTime());
                    return answer.get(taken.get() ? Long.MAX_VALUE : left, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    if (!taken.getAndSet(true)) {
                        throw new IOException(
                                "another process has held the lock of the mailbox for "
                                        + patience.toSeconds()
                                        + " s; is it stopped?",
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
