package dev.ash.server.tenant;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Checks the keys of open streams twice a second and stores last uses every minute. Two threads: a
 * slow write must not delay the check.
 */
final class KeyMaintenance implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.keys");
    private static final Duration CHECK = Duration.ofMillis(500);
    private static final Duration STORE = Duration.ofMinutes(1);

    private final Runnable check;
    private final Runnable store;
    private final CountDownLatch closed = new CountDownLatch(1);

    KeyMaintenance(Runnable check, Runnable store) {
        this.check = check;
        this.store = store;
    }

    void start() {
        Thread.ofVirtual().name("api-keys-check").start(() -> repeat(check, CHECK));
        Thread.ofVirtual().name("api-keys-store").start(() -> repeat(store, STORE));
    }

    private void repeat(Runnable work, Duration pause) {
        try {
            while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                run(work);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "API keys could not be checked or stored", e);
        }
    }

    @Override
    public void close() {
        if (closed.getCount() > 0) {
            closed.countDown();
            run(store);
        }
    }
}
