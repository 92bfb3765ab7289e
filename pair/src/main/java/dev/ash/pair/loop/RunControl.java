package dev.ash.pair.loop;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Stops, pauses and resumes a run. Thread-safe. */
public final class RunControl {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean stopped;
    private boolean paused;

    public RunControl(boolean paused) {
        this.paused = paused;
    }

    /**
     * Stops the run after its current step. Callers also interrupt its thread to end a running
     * turn.
     */
    public void stop() {
        change(() -> stopped = true);
    }

    public void pause() {
        change(() -> paused = true);
    }

    public void resume() {
        change(() -> paused = false);
    }

    public boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    public boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    void awaitResume() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (paused && !stopped) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the given time, or until the run is stopped. */
    void sleep(Duration time) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(time.toMillis());
        lock.lockInterruptibly();
        try {
            while (!stopped && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
