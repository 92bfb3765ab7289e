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
 * The one thread of this process that changes the files of a mailbox. Whatever waits at the same
 * moment shares a turn of the lock between processes, and one sync to disk. Channels belong to this
 * thread alone, because an interrupt of any other would close them. No virtual one: the system
 * makes whoever waits for the lock wait with the whole thread.
 */
final class MailboxWriter implements AutoCloseable {
    private static final int WAITING = 1024;
    private static final Duration LAST_TURN = Duration.ofSeconds(5);

    /** What surrounds the jobs of one turn. */
    interface Turn {
        void before() throws IOException;

        /** After the lock was given back, and before anybody is answered. */
        void after() throws IOException;
    }

    private final BlockingQueue<WriteJob<?>> jobs = new ArrayBlockingQueue<>(WAITING);
    private final FileChannel lock;
    private final Duration patience;
    private final Turn turn;
    private final Thread thread;
    private volatile boolean closed;

    MailboxWriter(Path lockFile, Duration patience, Turn turn) throws IOException {
        this.lock = FileChannel.open(lockFile, StandardOpenOption.WRITE);
        this.patience = patience;
        this.turn = turn;
        this.thread = Thread.ofPlatform().daemon().name("mailbox-writer").unstarted(this::loop);
    }

    void start() {
        thread.start();
    }

    /** Waits until it is done and on disk. */
    <T> T call(WriteJob.Work<T> work) throws IOException {
        var job = new WriteJob<>(work);
        if (closed || !jobs.offer(job)) {
            throw new IOException(
                    closed ? "the mailbox is closed" : "too many wait to write to the mailbox");
        }
        if (closed) {
            refuse(); // it may have come after the thread looked for the last time
        }
        return job.await(patience);
    }

    /** Queues it without waiting for it; drops it if the queue is full or closed. */
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
                turn(batch);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        } finally {
            closed = true;
            refuse();
        }
    }

    private void turn(List<WriteJob<?>> batch) {
        var answers = new ArrayList<Runnable>();
        try {
            try (var _ = lock.lock()) {
                turn.before();
                for (var job : batch) {
                    answers.add(job.run());
                }
            }
            turn.after();
        } catch (IOException | RuntimeException | Error e) {
            batch.forEach(job -> job.fail(e));
            return;
        }
        answers.forEach(Runnable::run);
    }

    private void refuse() {
        var late = new ArrayList<WriteJob<?>>();
        jobs.drainTo(late);
        late.forEach(job -> job.fail(new IOException("the mailbox is closed")));
    }

    /**
     * Lets it finish what it does, since an interrupt in the middle would leave half a line; but if
     * it cannot begin because another process does not give the lock back, it never will.
     */
    @Override
    public void close() throws IOException {
        closed = true;
        jobs.offer(new WriteJob<>(() -> true)); // wakes it if nothing else does
        boolean interrupted = !join();
        lock.close();
        interrupted |= !join();
        refuse();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean join() {
        try {
            thread.join(LAST_TURN);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
