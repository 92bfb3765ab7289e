package dev.ash.bridge;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the time without a server; when it is up, the bridge has nobody left to live for. */
final class Lease {
    private final Duration grace;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean held;
    private boolean ended;
    private long looseSince = System.nanoTime();

    Lease(Duration grace) {
        this.grace = grace;
    }

    void hold() {
        change(true);
    }

    void release() {
        change(false);
    }

    private void change(boolean nowHeld) {
        lock.lock();
        try {
            held = nowHeld;
            looseSince = System.nanoTime();
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

    /** True when the grace ran out, false when the bridge was told to end. */
    boolean awaitEnd() throws InterruptedException {
        lock.lock();
        try {
            while (!ended) {
                long left = looseSince + grace.toNanos() - System.nanoTime();
                if (held) {
                    changed.await();
                } else if (left <= 0) {
                    return true;
                } else {
                    changed.awaitNanos(left);
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }
}
