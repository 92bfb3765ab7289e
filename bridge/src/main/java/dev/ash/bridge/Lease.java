package dev.ash.bridge;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Expires when no server has been connected for the grace period; the bridge then exits. */
final class Lease {
    private final Duration grace;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean held;
    private boolean ended;
    private long releasedAt = System.nanoTime();

    Lease(Duration grace) {
        this.grace = grace;
    }

    void hold() {
        change(true);
    }

    void release() {
        change(false);
    }

    private void change(boolean isHeld) {
        lock.lock();
        try {
            held = isHeld;
            releasedAt = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Blocks until the lease expires (returns true) or {@link #end} is called (returns false). */
    boolean awaitEnd() throws InterruptedException {
        lock.lock();
        try {
            while (!ended) {
                long remaining = releasedAt + grace.toNanos() - System.nanoTime();
                if (held) {
                    changed.await();
                } else if (remaining <= 0) {
                    return true;
                } else {
                    changed.awaitNanos(remaining);
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }
}
