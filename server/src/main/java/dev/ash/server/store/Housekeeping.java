package dev.ash.server.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the periodic cleanup tasks of all features on one timer. A task that fails is logged and
 * runs again in the next round.
 */
public final class Housekeeping implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final System.Logger LOG = System.getLogger("ash.store");

    private final Duration interval;
    private final List<Task> tasks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private boolean wakeRequested; // guarded by the lock
    private boolean closed; // guarded by the lock

    /** Cleanup in small batches; an interrupt stops it between two batches. */
    public interface Work {
        void run() throws InterruptedException;
    }

    /** A cleanup task with its name in the log. */
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

    /** Starts the next round immediately. */
    public void wake() {
        lock.lock();
        try {
            wakeRequested = true;
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
            // The server is shutting down; the next one completes the work.
        }
    }

    private void run(Task task) throws InterruptedException {
        try {
            task.work().run();
        } catch (RuntimeException e) {
            if (Thread.interrupted() || isClosed()) {
                throw new InterruptedException();
            }
            LOG.log(System.Logger.Level.WARNING, task.name() + " failed and will be retried", e);
        }
    }

    private boolean awaitNextRound() throws InterruptedException {
        lock.lock();
        try {
            long nanos = interval.toNanos();
            while (!wakeRequested && !closed && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            wakeRequested = false;
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
