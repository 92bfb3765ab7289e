package dev.ash.sandbox;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Starts warm sandboxes on one background thread until there are as many of each kind as requested.
 * Its monitor guards the targets. Lock order: it may call {@link PoolEntries} under its monitor,
 * never the reverse.
 */
final class Warmer {
    private static final Duration MAX_DELAY = Duration.ofMinutes(5);

    private final PoolEntries entries;
    private final Duration firstDelay;
    private final Starter starter;
    private final Map<WarmKey, Target> targets = new LinkedHashMap<>();
    private @Nullable Thread thread;
    private boolean closed;

    /** Launches a warm sandbox; reports a failure by {@link #recordLoss} before it returns. */
    interface Starter {
        void start(PoolEntry entry, WarmKey key, Map<String, String> ashEnvironment);
    }

    /** The number of warm sandboxes wanted of a kind, and how many were lost consecutively. */
    private static final class Target {
        private final Map<String, String> ashEnvironment;
        private final int count;
        private int losses;
        private long notBefore = System.nanoTime();

        private Target(Map<String, String> ashEnvironment, int count) {
            this.ashEnvironment = Map.copyOf(ashEnvironment);
            this.count = count;
        }
    }

    private record Task(PoolEntry entry, WarmKey key, Target target) {}

    Warmer(PoolEntries entries, Duration firstDelay, Starter starter) {
        this.entries = entries;
        this.firstDelay = firstDelay;
        this.starter = starter;
    }

    synchronized void setTarget(WarmKey key, Map<String, String> environment, int count) {
        if (count <= 0) {
            targets.remove(key);
            return;
        }
        var target = new Target(environment, count);
        var before = targets.put(key, target);
        if (before != null) { // set again: keep the back-off
            target.losses = before.losses;
            target.notBefore = before.notBefore;
        }
        if (thread == null && !closed) {
            thread = Thread.ofVirtual().name("warmer").start(this::run);
        }
        notifyAll();
    }

    synchronized void removeTargets(Predicate<WarmKey> matches) {
        targets.keySet().removeIf(matches);
    }

    /** Rechecks the targets after the capacity or the number of warm sandboxes has changed. */
    synchronized void wake() {
        notifyAll();
    }

    /** Resets the back-off after a claim: the next sandbox starts immediately. */
    synchronized void recordClaim(WarmKey key) {
        var target = targets.get(key);
        if (target != null) {
            target.losses = 0;
            target.notBefore = System.nanoTime();
        }
        notifyAll();
    }

    /**
     * Delays the next start, with exponential back-off, after a sandbox failed to start or died
     * unclaimed.
     */
    synchronized void recordLoss(WarmKey key) {
        var target = targets.get(key);
        if (target != null) {
            long delay = firstDelay.toNanos() << Math.min(target.losses++, 20);
            target.notBefore = System.nanoTime() + Math.min(delay, MAX_DELAY.toNanos());
        }
        notifyAll();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Waits for the thread; call after {@link #close} and after terminating starting sandboxes. */
    void join() {
        Thread running;
        synchronized (this) {
            running = thread;
        }
        try {
            if (running != null) {
                running.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            for (var task = next(); task != null; task = next()) {
                starter.start(task.entry, task.key, task.target.ashEnvironment);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this thread is never interrupted
        }
    }

    private synchronized @Nullable Task next() throws InterruptedException {
        while (!closed) {
            long now = System.nanoTime();
            long wait = MAX_DELAY.toNanos();
            for (var each : targets.entrySet()) {
                var target = each.getValue();
                if (target.notBefore - now > 0) {
                    wait = Math.min(wait, target.notBefore - now);
                    continue;
                }
                var entry = entries.addWarm(each.getKey(), target.count);
                if (entry.isPresent()) {
                    return moveToEnd(new Task(entry.get(), each.getKey(), target));
                }
            }
            wait(Math.max(1, Duration.ofNanos(wait).toMillis()));
        }
        return null;
    }

    /** Moves the target to the end of the map, so that all agents are served in rotation. */
    private Task moveToEnd(Task task) {
        targets.remove(task.key);
        targets.put(task.key, task.target);
        return task;
    }
}
