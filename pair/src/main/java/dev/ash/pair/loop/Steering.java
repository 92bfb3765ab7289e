package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The person's hand on a run: stop, pause, go on, answer. Called by any thread. */
public final class Steering {
    /** What the person makes of a disagreement. */
    public enum Decision {
        /** Another round, with what the person says. */
        GO_ON,
        /** The work is right as it is. */
        ACCEPT,
        REJECT
    }

    public record Answer(Decision decision, String message) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean stopped;
    private boolean paused;
    private @Nullable Answer answer;

    public Steering(boolean paused) {
        this.paused = paused;
    }

    /** Whoever stops a run also interrupts its thread, so that a turn does not hold it up. */
    public void stop() {
        change(() -> stopped = true);
    }

    public void pause() {
        change(() -> paused = true);
    }

    public void goOn() {
        change(() -> paused = false);
    }

    public void answer(Answer given) {
        change(() -> answer = given);
    }

    boolean isStopped() {
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

    void awaitGo() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (paused && !stopped) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Empty if none came in time, or the run was stopped. */
    Optional<Answer> awaitAnswer(Duration limit) throws InterruptedException {
        long nanos = limit.toNanos();
        lock.lockInterruptibly();
        try {
            while (answer == null && !stopped && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            var given = Optional.ofNullable(answer);
            answer = null;
            return given;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for so long, or until it is stopped. */
    void rest(Duration time) throws InterruptedException {
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
