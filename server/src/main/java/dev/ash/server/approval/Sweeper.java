package dev.ash.server.approval;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets questions expire when the clock says so. It never sleeps until a moment, only for a short
 * time, and looks at the clock again: a clock that is set forward or back makes nothing late that
 * is due, and nothing due that is not.
 */
final class Sweeper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.approval");
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final Duration ROUND = Duration.ofSeconds(15);

    private final ApprovalExpiryStore store;
    private final Clock clock;
    private final Expire expire;
    private final Runnable eachRound;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread;
    private long next = Long.MIN_VALUE; // guarded by the lock
    private volatile boolean closed;

    interface Expire {
        void overdue(ApprovalRow row);
    }

    Sweeper(ApprovalExpiryStore store, Clock clock, Expire expire, Runnable eachRound) {
        this.store = store;
        this.clock = clock;
        this.expire = expire;
        this.eachRound = eachRound;
        this.thread = Thread.ofVirtual().name("approvals-expire").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** A question that was committed expires then. */
    void expects(long expiresAt) {
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

    private void run() {
        try {
            while (!closed) {
                if (await()) {
                    sweepOrPause();
                }
                eachRound.run();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** Waits until something is due or a round is over; whether something is due. */
    private boolean await() throws InterruptedException {
        lock.lock();
        try {
            long left = ROUND.toMillis();
            for (long now = clock.millis(); next > now && left > 0; now = clock.millis()) {
                long step = Math.min(left, next == Long.MAX_VALUE ? left : LOOK_AGAIN.toMillis());
                changed.await(Math.min(step, next - now), TimeUnit.MILLISECONDS);
                left -= step;
            }
            return next <= clock.millis();
        } finally {
            lock.unlock();
        }
    }

    private void sweepOrPause() throws InterruptedException {
        try {
            sweep();
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.log(System.Logger.Level.ERROR, "cannot let approvals expire", e);
                expects(Long.MIN_VALUE);
                Thread.sleep(LOOK_AGAIN);
            }
        }
    }

    /** Expires what is due, and finds out when the next is. */
    void sweep() {
        lock.lock();
        try {
            next = Long.MAX_VALUE; // whatever is committed from here on lowers it
        } finally {
            lock.unlock();
        }
        for (var due = store.overdue(clock.millis());
                !due.isEmpty();
                due = store.overdue(clock.millis())) {
            due.forEach(expire::overdue);
        }
        store.nextExpiry().ifPresent(this::expects);
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
