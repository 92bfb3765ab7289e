package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The single thread of this process that writes the files of a mailbox. Jobs that wait at the same
 * time form a batch that shares the lock between processes and one sync to disk. Only this thread
 * uses the channels, because interrupting another thread would close them. It is a platform thread,
 * because waiting for a file lock blocks the carrier thread.
 */
final class MailboxWriter implements AutoCloseable {
    private static final int MAX_QUEUED_JOBS = 1024;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** Prepares and completes a batch. */
    interface BatchListener {
        void beforeBatch() throws IOException;

        /** Runs after the lock is released and before the jobs complete. */
        void afterBatch() throws IOException;
    }

    private final BlockingQueue<WriteJob<?>> jobs = new ArrayBlockingQueue<>(MAX_QUEUED_JOBS);
    private final FileChannel lock;
    private final Duration lockTimeout;
    private final BatchListener listener;
    private final Thread thread;
    private volatile boolean closed;

    MailboxWriter(Path lockFile, Duration lockTimeout, BatchListener listener) throws IOException {
        this.lock = FileChannel.open(lockFile, StandardOpenOption.WRITE);
        this.lockTimeout = lockTimeout;
        this.listener = listener;
        this.thread = Thread.ofPlatform().daemon().name("mailbox-writer").unstarted(this::loop);
    }

    void start() {
        thread.start();
    }

    /** Executes a job and waits until its changes are on disk. */
    <T> T call(WriteJob.Work<T> work) throws IOException {
        var job = new WriteJob<>(work);
        if (closed || !jobs.offer(job)) {
            throw new IOException(
                    closed
                            ? "The mailbox is closed"
                            : "The mailbox has too many pending writes; retry later");
        }
        if (closed) {
            failQueued(); // the job may have been queued after the thread exited
        }
        return job.await(lockTimeout);
    }

    /** Queues a job without waiting; drops it if the queue is full or closed. */
    <T> void offer(WriteJob.Work<T> work) {
        if (!closed) {
            jobs.offer(new WriteJob<>(work));
        }
    }

    private void loop() {
        try {
            while (!closed) {
                var batch = new ArrayList<WriteJob<?>>();
                batch.add(jobs.take());
                jobs.drainTo(batch);
                runBatch(batch);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("the writer thread must not be interrupted", e);
        } finally {
            closed = true;
            failQueued();
        }
    }

    private void runBatch(List<WriteJob<?>> batch) {
        var completions = new ArrayList<Runnable>();
        try {
            try (var _ = lock.lock()) {
                listener.beforeBatch();
                for (var job : batch) {
                    completions.add(job.run());
                }
            }
            listener.afterBatch();
        } catch (IOException | RuntimeException | Error e) {
            batch.forEach(job -> job.fail(e));
            return;
        }
        completions.forEach(Runnable::run);
    }

    private void failQueued() {
        var remaining = new ArrayList<WriteJob<?>>();
        jobs.drainTo(remaining);
        remaining.forEach(job -> job.fail(new IOException("The mailbox is closed")));
    }

    /**
     * Lets the current batch finish, because an interrupt would leave an incomplete line. Closing
     * the lock file aborts a batch that still waits for another process to release the lock.
     */
    @Override
    public void close() throws IOException {
        closed = true;
        jobs.offer(new WriteJob<>(() -> true)); // wakes the thread
        boolean interrupted = !join();
        lock.close();
        interrupted |= !join();
        failQueued();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean join() {
        try {
            thread.join(CLOSE_TIMEOUT);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
