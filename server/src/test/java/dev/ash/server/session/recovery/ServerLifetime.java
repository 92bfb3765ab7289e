package dev.ash.server.session.recovery;

import dev.ash.server.store.KillPoint;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * The lifetime of one server, from its start until it is killed. Threads inherit it from the thread
 * that started them, so that many servers can run in one JVM and each reacts only to the kill
 * points that its own threads reach.
 */
final class ServerLifetime {
    private static final InheritableThreadLocal<ServerLifetime> CURRENT =
            new InheritableThreadLocal<>();

    /** Unwinds a thread of a killed server. An Error, so that no code handles it. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed", null, false, false);
        }
    }

    /** Kills the server the {@code hits}th time that it reaches the point; null is any point. */
    record KillTrigger(@Nullable KillPoint point, int hits) {
        static final KillTrigger NEVER = new KillTrigger(null, Integer.MAX_VALUE);
    }

    // Read-locked by actions that a kill must not interrupt, such as a commit; kill write-locks it.
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final KillTrigger trigger;
    private final Random jitter;
    private final AtomicInteger remainingHits;
    private final CompletableFuture<Boolean> killed = new CompletableFuture<>();
    private volatile boolean isKilled;
    private volatile @Nullable String killedAt;

    ServerLifetime(KillTrigger trigger, long seed) {
        this.trigger = trigger;
        this.jitter = new Random(seed);
        this.remainingHits = new AtomicInteger(trigger.hits());
    }

    /** Reacts to kill points. Called once for the JVM. */
    static void installProbe() {
        KillPoint.probe(
                point -> {
                    var life = CURRENT.get();
                    if (life != null) {
                        life.reached(point);
                    }
                });
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> {
                    if (!(e instanceof Killed)) {
                        System.err.println("uncaught in " + thread);
                        e.printStackTrace();
                    }
                });
        // Threads of a killed server may end after its test; a wait of a later test in this JVM
        // must not fail because of them.
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
    }

    /** Calls the action as a thread of this server. */
    <T> T call(Supplier<T> action) {
        var before = CURRENT.get();
        CURRENT.set(this);
        try {
            return action.get();
        } finally {
            CURRENT.set(before);
        }
    }

    /** Calls the action as a thread of no server: the threads it starts survive the server. */
    static <T> T callDetached(Supplier<T> action) {
        var before = CURRENT.get();
        CURRENT.remove();
        try {
            return action.get();
        } finally {
            CURRENT.set(before);
        }
    }

    private void reached(KillPoint point) {
        if (point == KillPoint.WRITE_COMMITTED && lock.getReadHoldCount() > 0) {
            lock.readLock().unlock();
        }
        if (isKilled) {
            throw new Killed();
        }
        if ((trigger.point() == null || trigger.point() == point)
                && remainingHits.decrementAndGet() == 0) {
            killedAt = point.name();
            kill();
            throw new Killed();
        }
        if (jitter.nextInt(12) == 0) {
            LockSupport.parkNanos(jitter.nextInt(300_000));
        }
        if (point == KillPoint.WRITE_BEGUN) {
            lockUnlessKilled(); // until WRITE_COMMITTED, so that no commit is in progress when it
            // is killed
        }
    }

    private void lockUnlessKilled() {
        lock.readLock().lock();
        if (isKilled) {
            lock.readLock().unlock();
            throw new Killed();
        }
    }

    /** Calls the action completely, or throws if the server is killed. */
    <T> T callAtomically(Supplier<T> action) {
        lockUnlessKilled();
        try {
            return action.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    void callAtomically(Runnable action) {
        callAtomically(
                () -> {
                    action.run();
                    return true;
                });
    }

    void kill() {
        lock.writeLock().lock();
        try {
            isKilled = true;
        } finally {
            lock.writeLock().unlock();
        }
        killed.complete(true);
    }

    boolean wasKilledAt(String point) {
        return point.equals(killedAt);
    }

    boolean isKilled() {
        return isKilled;
    }

    CompletableFuture<Boolean> killed() {
        return killed;
    }
}
