package dev.ash.server.egress.http;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Closes connections after their deadline. Blocking reads on channels have no timeout, and closing
 * wakes them; one thread checks all deadlines.
 */
public final class Deadlines implements AutoCloseable {
    private final Set<Deadline> all = ConcurrentHashMap.newKeySet();
    private final Thread sweeper;

    public Deadlines(Duration interval) {
        sweeper = Thread.ofVirtual().name("egress-deadlines").start(() -> sweep(interval));
    }

    Deadline watch(Runnable close) {
        var deadline = new Deadline(close);
        all.add(deadline);
        return deadline;
    }

    private void sweep(Duration interval) {
        try {
            while (true) {
                Thread.sleep(interval);
                all.forEach(Deadline::check);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    @Override
    public void close() {
        sweeper.interrupt();
    }

    /** Moved by the threads that read and write, checked by the sweeper. */
    public final class Deadline {
        private final Runnable close;
        private volatile long silence = Long.MAX_VALUE / 2;
        private volatile long at = System.nanoTime() + silence;
        private volatile boolean renewed;
        private volatile boolean passed;

        private Deadline(Runnable close) {
            this.close = close;
        }

        /** Limits the total time from now on, regardless of activity. */
        public void within(Duration total) {
            renewed = false;
            at = System.nanoTime() + total.toNanos();
        }

        /** Limits the idle time from now on. */
        public void idle(Duration longest) {
            silence = longest.toNanos();
            renewed = true;
            touch();
        }

        void touch() {
            if (renewed) {
                at = System.nanoTime() + silence;
            }
        }

        boolean passed() {
            return passed;
        }

        void end() {
            all.remove(this);
        }

        private void check() {
            if (System.nanoTime() - at > 0) {
                passed = true;
                all.remove(this);
                close.run();
            }
        }
    }
}
