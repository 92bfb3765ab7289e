package dev.ash.sandbox;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Starts warm sandboxes on one background thread until there are as many of each kind as requested,
 * or as the largest recent burst needed. Waits until no session has been created for a moment: a
 * start takes a processor from the sessions that are being created. Its monitor guards the targets.
 * Lock order: it may call {@link PoolEntries} under its monitor, never the reverse.
 */
final class Warmer {
    private static final Duration MAX_DELAY = Duration.ofMinutes(5);

    /** How long no session is created before sandboxes are started. */
    private static final long QUIET = Duration.ofMillis(100).toNanos();

    /** How long starts are postponed at most while sessions are being created. */
    private static final long MAX_POSTPONED = Duration.ofSeconds(1).toNanos();

    private final PoolEntries entries;
    private final Duration firstDelay;
    private final Sandboxes sandboxes;
    private final int maxCount;
    private final Map<WarmKey, Target> targets = new LinkedHashMap<>();
    private long postponedSince; // System.nanoTime
    private long postponedUntil;
    private @Nullable Thread thread;
    private boolean closed;

    interface Sandboxes {
        /** Launches a warm sandbox; reports a failure by {@link #recordLoss} before it returns. */
        void start(PoolEntry entry, WarmKey key, Map<String, String> ashEnvironment);

        /** Terminates the warm sandboxes of a kind except this number. */
        void terminateSurplus(WarmKey key, int keep);
    }

    /** The number of warm sandboxes wanted of a kind, and how many were lost consecutively. */
    private static final class Target {
        private final Map<String, String> ashEnvironment;
        private final int count;
        private Demand demand = new Demand(System::nanoTime);
        private int losses;
        private long notBefore = System.nanoTime();

        private Target(Map<String, String> ashEnvironment, int count) {
            this.ashEnvironment = Map.copyOf(ashEnvironment);
            this.count = count;
        }
    }

    /** {@code maxCount} limits the sandboxes of one kind that are kept after a burst. */
    Warmer(PoolEntries entries, int maxCount, Duration firstDelay, Sandboxes sandboxes) {
        this.entries = entries;
        this.maxCount = maxCount;
        this.postponedSince = System.nanoTime();
        this.postponedUntil = postponedSince;
        this.firstDelay = firstDelay;
        this.sandboxes = sandboxes;
    }

    synchronized void setTarget(WarmKey key, Map<String, String> environment, int count) {
        if (count <= 0) {
            targets.remove(key);
            return;
        }
        var target = new Target(environment, count);
        var before = targets.put(key, target);
        if (before != null) { // set again: keep the demand and the back-off
            target.demand = before.demand;
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

    /** Records that a session needs a sandbox of this kind, whether there is one or not. */
    synchronized void recordRequest(WarmKey key) {
        postpone();
        var target = targets.get(key);
        if (target != null) {
            target.demand.record(maxCount);
        }
    }

    /** Postpones starts while a session is being created. */
    synchronized void postpone() {
        long now = System.nanoTime();
        if (now - postponedUntil > 0) {
            postponedSince = now;
        }
        postponedUntil = Math.min(now + QUIET, postponedSince + MAX_POSTPONED);
    }

    /** Resets the back-off after a claim. */
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
                task.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this thread is never interrupted
        }
    }

    private synchronized @Nullable Runnable next() throws InterruptedException {
        while (!closed) {
            long now = System.nanoTime();
            long wait = MAX_DELAY.toNanos();
            if (postponedUntil - now > 0) {
                wait(Math.max(1, Duration.ofNanos(postponedUntil - now).toMillis()));
                continue;
            }
            for (var each : targets.entrySet()) {
                var target = each.getValue();
                if (target.notBefore - now > 0) {
                    wait = Math.min(wait, target.notBefore - now);
                    continue;
                }
                int count = Math.max(target.count, target.demand.current());
                var key = each.getKey();
                var entry = entries.addWarm(key, count);
                if (entry.isPresent()) {
                    moveToEnd(key, target);
                    return () -> sandboxes.start(entry.get(), key, target.ashEnvironment);
                }
                if (entries.countWarm(key) > count) { // the last burst was long ago
                    return () -> sandboxes.terminateSurplus(key, count);
                }
            }
            wait(Math.max(1, Duration.ofNanos(wait).toMillis()));
        }
        return null;
    }

    /** Moves the target to the end of the map, so that all agents are served in rotation. */
    private void moveToEnd(WarmKey key, Target target) {
        targets.remove(key);
        targets.put(key, target);
    }
}
