package dev.ash.server.approval;

import java.time.Clock;
import java.time.Duration;

/** Expires questions when the clock says so. */
final class Sweeper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.approval");
    private static final Duration ROUND = Duration.ofSeconds(15);

    private final ApprovalExpiryStore store;
    private final ExpirySchedule schedule;
    private final Clock clock;
    private final Expire expire;
    private final Runnable eachRound;
    private final Thread thread;
    private volatile boolean closed;

    interface Expire {
        void overdue(ApprovalRow row);
    }

    Sweeper(
            ApprovalExpiryStore store,
            ExpirySchedule schedule,
            Clock clock,
            Expire expire,
            Runnable eachRound) {
        this.store = store;
        this.schedule = schedule;
        this.clock = clock;
        this.expire = expire;
        this.eachRound = eachRound;
        this.thread = Thread.ofVirtual().name("approvals-expire").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                if (schedule.await(ROUND)) {
                    sweepOrPause();
                }
                eachRound.run();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void sweepOrPause() throws InterruptedException {
        try {
            sweep();
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.log(System.Logger.Level.ERROR, "cannot let approvals expire", e);
                schedule.add(Long.MIN_VALUE);
                Thread.sleep(ExpirySchedule.STEP);
            }
        }
    }

    /** Expires what is due, and finds out when the next is. */
    void sweep() {
        schedule.clear();
        for (var due = store.overdue(clock.millis());
                !due.isEmpty();
                due = store.overdue(clock.millis())) {
            due.forEach(expire::overdue);
        }
        store.nextExpiry().ifPresent(schedule::add);
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
