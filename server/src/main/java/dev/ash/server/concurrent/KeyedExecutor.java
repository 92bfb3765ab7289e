package dev.ash.server.concurrent;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks with the same key one at a time, in the order of submission, and tasks with different
 * keys concurrently. Each key that has tasks has one virtual thread, which exits after its last
 * task, so there is nothing to close.
 *
 * <p>Overflow: a task that would exceed one of the {@link Limits} is rejected. {@link #submit}
 * returns false, never blocks and never drops an accepted task; the caller reports the rejection.
 *
 * <p>A task that fails is logged and does not affect the tasks behind it.
 */
public final class KeyedExecutor<K> {
    private static final System.Logger LOG = System.getLogger("ash.concurrent");

    private final String name;
    private final Limits limits;
    private final Map<K, ArrayDeque<Task>> queues = new HashMap<>(); // guarded by this
    private int tasks; // guarded by this
    private long weight; // guarded by this

    /**
     * The largest number of tasks, waiting and running, and of keys that have any.
     *
     * @param weight sum of the weights of these tasks, usually the memory that they retain
     */
    public record Limits(int keys, int tasksPerKey, int tasks, long weight) {
        /** Limits each key separately. */
        public static Limits perKey(int tasks) {
            return new Limits(Integer.MAX_VALUE, tasks, Integer.MAX_VALUE, Long.MAX_VALUE);
        }

        /** Limits all keys in total. */
        public static Limits total(int keys, int tasks, long weight) {
            return new Limits(keys, tasks, tasks, weight);
        }
    }

    private record Task(long weight, Runnable work) {}

    /** {@code name} is the prefix of thread names. */
    public KeyedExecutor(String name, Limits limits) {
        this.name = name;
        this.limits = limits;
    }

    /** Submits a task without weight; returns false if it is rejected. */
    public boolean submit(K key, Runnable work) {
        return submit(key, 0, work);
    }

    /** Returns false if the task is rejected. */
    public synchronized boolean submit(K key, long taskWeight, Runnable work) {
        var queue = queues.get(key);
        if (isFull(queue, taskWeight)) {
            return false;
        }
        tasks++;
        weight += taskWeight;
        var task = new Task(taskWeight, work);
        if (queue != null) {
            queue.add(task);
            return true;
        }
        var first = new ArrayDeque<Task>();
        first.add(task);
        queues.put(key, first);
        Thread.ofVirtual().name(name + "-" + key).start(() -> run(key, task));
        return true;
    }

    private boolean isFull(@Nullable ArrayDeque<Task> queue, long taskWeight) {
        boolean isKeyFull =
                queue == null ? queues.size() >= limits.keys : queue.size() >= limits.tasksPerKey;
        return isKeyFull || tasks >= limits.tasks || taskWeight > limits.weight - weight;
    }

    private void run(K key, Task first) {
        for (var task = first; task != null; task = finish(key, task)) {
            try {
                task.work.run();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "Task failed on " + Thread.currentThread().getName(), e);
            } catch (Error e) {
                // Report it as uncaught, but continue: the tasks behind it must not wait forever.
                var thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }
    }

    /** Removes a task that has run, and returns the next one of its key. */
    private synchronized @Nullable Task finish(K key, Task done) {
        tasks--;
        weight -= done.weight;
        var queue = queues.get(key);
        if (queue == null) {
            return null;
        }
        queue.remove(); // the running task stays at the head, so that it counts toward the limit
        if (queue.isEmpty()) {
            queues.remove(key);
        }
        return queue.peek();
    }
}
