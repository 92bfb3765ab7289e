package dev.ash.server.session.recovery;

import dev.ash.server.store.KillPoint;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One life of a server, from its start until it is killed. Every thread that works for it carries
 * it, because threads inherit it from the one that made them; so many servers can live and die in
 * one JVM without hearing of each other's kill points.
 */
final class CrashLife {
    private static final InheritableThreadLocal<CrashLife> CURRENT = new InheritableThreadLocal<>();

    /** Unwinds a thread of a server that is dead. An Error, so that nothing handles it. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed", null, false, false);
        }
    }

    /** When it dies: the {@code count}th time that it comes to the point; null is any point. */
    record Doom(@Nullable KillPoint point, int count) {
        static final Doom NEVER = new Doom(null, Integer.MAX_VALUE);
    }

    // Held for reading by whatever must not be cut in two, such as a commit; dying writes.
    private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();
    private final Doom doom;
    private final Random jitter;
    private final AtomicInteger left;
    private final CompletableFuture<Boolean> death = new CompletableFuture<>();
    private volatile boolean dead;
    private volatile @Nullable String place;

    CrashLife(Doom doom, long seed) {
        this.doom = doom;
        this.jitter = new Random(seed);
        this.left = new AtomicInteger(doom.count());
    }

    /** Once for the JVM. */
    static void watchKillPoints() {
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
    }

    /** Runs the action as a thread of this server. */
    <T> T as(Supplier<T> action) {
        var before = CURRENT.get();
        CURRENT.set(this);
        try {
            return action.get();
        } finally {
            CURRENT.set(before);
        }
    }

    /** Runs the action as a thread of no server: what it starts lives on. */
    static <T> T asNobody(Supplier<T> action) {
        var before = CURRENT.get();
        CURRENT.remove();
        try {
            return action.get();
        } finally {
            CURRENT.set(before);
        }
    }

    private void reached(KillPoint point) {
        if (point == KillPoint.WRITE_COMMITTED && life.getReadHoldCount() > 0) {
            life.readLock().unlock();
        }
        if (dead) {
            throw new Killed();
        }
        if ((doom.point() == null || doom.point() == point) && left.decrementAndGet() == 0) {
            place = point.name();
            die();
            throw new Killed();
        }
        if (jitter.nextInt(12) == 0) {
            LockSupport.parkNanos(jitter.nextInt(300_000));
        }
        if (point == KillPoint.WRITE_BEGUN) {
            hold(); // until WRITE_COMMITTED, so that no commit is under way when it is dead
        }
    }

    private void hold() {
        life.readLock().lock();
        if (dead) {
            life.readLock().unlock();
            throw new Killed();
        }
    }

    /** Does it whole, or, if the server is dead, not at all. */
    <T> T act(Supplier<T> action) {
        hold();
        try {
            return action.get();
        } finally {
            life.readLock().unlock();
        }
    }

    void act(Runnable action) {
        act(
                () -> {
                    action.run();
                    return true;
                });
    }

    void die() {
        life.writeLock().lock();
        try {
            dead = true;
        } finally {
            life.writeLock().unlock();
        }
        death.complete(true);
    }

    boolean diedAt(String point) {
        return point.equals(place);
    }

    boolean isDead() {
        return dead;
    }

    CompletableFuture<Boolean> death() {
        return death;
    }
}
