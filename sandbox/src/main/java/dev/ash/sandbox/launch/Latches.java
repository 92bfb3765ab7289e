package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waiting that an interrupt does not cut short: whoever ends a sandbox must see it end. */
public final class Latches {
    /** Whether the latch opened in time. An interrupt is kept for later. */
    public static boolean await(CountDownLatch latch, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return latch.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Latches() {}
}
