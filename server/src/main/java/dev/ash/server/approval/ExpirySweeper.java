package dev.ash.server.approval;

import java.time.Clock;
import java.time.Duration;

/** Expires overdue questions on a background thread. */
final class ExpirySweeper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.approval");
    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final ApprovalExpiryStore store;
    private final ExpirySchedule schedule;
    private final Clock clock;
    private final Expire expire;
    private final Runnable periodicTask;
    private final Thread thread;
    private volatile boolean closed;

    interface Expire {
        void expire(ApprovalRow row);
    }

    ExpirySweeper(
            ApprovalExpiryStore store,
            ExpirySchedule schedule,
            Clock clock,
            Expire expire,
            Runnable periodicTask) {
        this.store = store;
        this.schedule = schedule;
        this.clock = clock;
        this.expire = expire;
        this.periodicTask = periodicTask;
        this.thread = Thread.ofVirtual().name("approvals-expire").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                if (schedule.await(INTERVAL)) {
                    sweepWithRetry();
                }
                periodicTask.run();
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private void sweepWithRetry() throws InterruptedException {
        try {
            sweep();
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.log(System.Logger.Level.ERROR, "cannot expire approvals, will retry", e);
                schedule.add(Long.MIN_VALUE);
                Thread.sleep(ExpirySchedule.POLL_INTERVAL);
            }
        }
    }

    /** Expires overdue questions, and schedules the next expiry. */
    void sweep() {
        schedule.clear();
        for (var batch = store.overdue(clock.millis());
                !batch.isEmpty();
                batch = store.overdue(clock.millis())) {
            batch.forEach(expire::expire);
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
