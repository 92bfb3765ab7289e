package dev.ash.bridge.engine;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** A lock with one condition variable. Conditions are evaluated while the lock is held. */
public final class Monitor {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    public void enter() {
        lock.lock();
    }

    public void leave() {
        lock.unlock();
    }

    /** Wakes all waiting threads; the caller must hold the lock. */
    public void signalAll() {
        changed.signalAll();
    }

    public boolean check(BooleanSupplier condition) {
        lock.lock();
        try {
            return condition.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    public void await(BooleanSupplier condition) {
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns false on timeout or if this thread is interrupted. */
    public boolean await(Duration limit, BooleanSupplier condition) {
        long nanos = limit.toNanos();
        lock.lock();
        try {
            while (!condition.getAsBoolean() && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            return condition.getAsBoolean();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
