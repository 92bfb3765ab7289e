package dev.ash.server.approval;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits until the next question expires. Polls the clock instead of sleeping until that time, so
 * that changes of the system clock neither delay nor advance an expiry. Thread-safe.
 */
final class ExpirySchedule {
    static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long next = Long.MIN_VALUE; // guarded by the lock

    ExpirySchedule(Clock clock) {
        this.clock = clock;
    }

    /** Adds the expiry time of a committed question. */
    void add(long expiresAt) {
        lock.lock();
        try {
            if (expiresAt < next) {
                next = expiresAt;
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes all times; questions committed from now on are added again. */
    void clear() {
        lock.lock();
        try {
            next = Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a question expires or the timeout elapses; returns whether one expired. */
    boolean await(Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long remaining = timeout.toMillis();
            for (long now = clock.millis(); next > now && remaining > 0; now = clock.millis()) {
                long step =
                        Math.min(
                                remaining,
                                next == Long.MAX_VALUE ? remaining : POLL_INTERVAL.toMillis());
                changed.await(Math.min(step, next - now), TimeUnit.MILLISECONDS);
                remaining -= step;
            }
            return next <= clock.millis();
        } finally {
            lock.unlock();
        }
    }
}
