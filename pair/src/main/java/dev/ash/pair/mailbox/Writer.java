package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The one thread of this process that changes the files of a mailbox. Whatever waits at the same
 * moment shares a turn of the lock between processes, and one sync to disk. Channels belong to this
 * thread alone, because an interrupt of any other would close them. No virtual one: the system
 * makes whoever waits for the lock wait with the whole thread.
 */
final class Writer implements AutoCloseable {
    private static final int WAITING = 1024;

    /** Something to do while no other process writes. */
    interface Work<T> {
        T run() throws IOException;
    }

    /** What surrounds the works of one turn. */
    interface Turn {
        void before() throws IOException;

        /** After the lock was given back, and before anybody is answered. */
        void after() throws IOException;
    }

    private record Job<T>(Work<T> work, CompletableFuture<T> answer) {
        Runnable run() {
            try {
                var result = work.run();
                return () -> answer.complete(result);
            } catch (IOException | RuntimeException e) {
                return () -> answer.completeExceptionally(e);
            }
        }
    }

    private final BlockingQueue<Job<?>> jobs = new ArrayBlockingQueue<>(WAITING);
    private final FileChannel lock;
    private final Turn turn;
    private final Thread thread;
    private volatile boolean closed;

    Writer(Path lockFile, Turn turn) throws IOException {
        this.lock = FileChannel.open(lockFile, StandardOpenOption.WRITE);
        this.turn = turn;
        this.thread = Thread.ofPlatform().daemon().name("mailbox-writer").unstarted(this::loop);
    }

    void start() {
        thread.start();
    }

    /** Waits until it is done and on disk. An interrupt does not shorten it, and is not lost. */
    <T> T call(Work<T> work) throws IOException {
        var job = new Job<>(work, new CompletableFuture<T>());
        if (closed || !jobs.offer(job)) {
            throw new IOException(
                    closed ? "the mailbox is closed" : "too many wait to write to the mailbox");
        }
        if (closed) {
            refuse(); // it may have come after the thread looked for the last time
        }
        try {
            return job.answer().join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case IOException io -> throw io;
                case RuntimeException known -> throw known;
                case null, default -> throw e;
            }
        }
    }

    private void loop() {
        try {
            while (!closed) {
                var batch = new ArrayList<Job<?>>();
                batch.add(jobs.take());
                jobs.drainTo(batch);
                turn(batch);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        } finally {
            refuse();
        }
    }

    private void turn(List<Job<?>> batch) {
        var answers = new ArrayList<Runnable>();
        try {
            try (var _ = lock.lock()) {
                turn.before();
                for (var job : batch) {
                    answers.add(job.run());
                }
            }
            turn.after();
        } catch (IOException | RuntimeException e) {
            batch.forEach(job -> job.answer().completeExceptionally(e));
            return;
        }
        answers.forEach(Runnable::run);
    }

    private void refuse() {
        var late = new ArrayList<Job<?>>();
        jobs.drainTo(late);
        late.forEach(
                job ->
                        job.answer()
                                .completeExceptionally(new IOException("the mailbox is closed")));
    }

    /** Lets it finish what it does: an interrupt in the middle would leave half a line. */
    @Override
    public void close() throws IOException {
        closed = true;
        jobs.offer(
                new Job<>(() -> true, new CompletableFuture<>())); // wakes it if nothing else does
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        refuse();
        lock.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
