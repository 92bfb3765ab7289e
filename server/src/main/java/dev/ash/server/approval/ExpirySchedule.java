package dev.ash.server.approval;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The time at which the next question expires. Waiting for it checks the clock often instead of
 * sleeping until that time: a clock that is set forward or back makes nothing late that is due, and
 * nothing due that is not. Thread-safe.
 */
final class ExpirySchedule {
    static final Duration STEP = Duration.ofSeconds(1);

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long next = Long.MIN_VALUE; // guarded by the lock

    ExpirySchedule(Clock clock) {
        this.clock = clock;
    }

    /** A question that was committed expires then. */
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

    /** Forgets all times; questions that are committed from here on are added again. */
    void clear() {
        lock.lock();
        try {
            next = Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a question is due or the time is over; returns whether one is due. */
    boolean await(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long left = time.toMillis();
            for (long now = clock.millis(); next > now && left > 0; now = clock.millis()) {
                long step = Math.min(left, next == Long.MAX_VALUE ? left : STEP.toMillis());
                changed.await(Math.min(step, next - now), TimeUnit.MILLISECONDS);
                left -= step;
            }
            return next <= clock.millis();
        } finally {
            lock.unlock();
        }
    }
}
