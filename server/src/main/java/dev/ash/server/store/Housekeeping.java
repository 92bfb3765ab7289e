package dev.ash.server.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One timer for everything that is removed some time after it was last of use. A task that fails is
 * logged and runs again with the next round.
 */
public final class Housekeeping implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final System.Logger LOG = System.getLogger("ash.store");

    private final Duration interval;
    private final List<Task> tasks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private boolean wanted; // guarded by the lock
    private boolean closed; // guarded by the lock

    /** Work in small batches, which an interrupt ends between two of them. */
    public interface Work {
        void run() throws InterruptedException;
    }

    /** Some work, and what the log calls it. */
    public record Task(String name, Work work) {}

    Housekeeping(Duration interval, Task... tasks) {
        this(interval, List.of(tasks));
    }

    public Housekeeping(List<Task> tasks) {
        this(INTERVAL, tasks);
    }

    private Housekeeping(Duration interval, List<Task> tasks) {
        this.interval = interval;
        this.tasks = List.copyOf(tasks);
    }

    public void start() {
        thread = Thread.ofVirtual().name("housekeeping").start(this::run);
    }

    /** There is something to do: the next round begins now. */
    public void wake() {
        lock.lock();
        try {
            wanted = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            do {
                for (var task : tasks) {
                    run(task);
                }
            } while (awaitNextRound());
        } catch (InterruptedException e) {
            // The server is shutting down; what is left is done by the next one.
        }
    }

    private void run(Task task) throws InterruptedException {
        try {
            task.work().run();
        } catch (RuntimeException e) {
            if (Thread.interrupted() || isClosed()) {
                throw new InterruptedException();
            }
            LOG.log(System.Logger.Level.WARNING, task.name() + " failed and will be repeated", e);
        }
    }

    private boolean awaitNextRound() throws InterruptedException {
        lock.lock();
        try {
            long nanos = interval.toNanos();
            while (!wanted && !closed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            wanted = false;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        var running = thread;
        if (running != null) {
            try {
                running.interrupt();
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
