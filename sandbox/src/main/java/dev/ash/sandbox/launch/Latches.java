package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Uninterruptible waits: a thread that terminates a sandbox must see it exit. */
public final class Latches {
    /** Returns whether the latch opened in time; restores the interrupt status afterwards. */
    public static boolean awaitUninterruptibly(CountDownLatch latch, Duration timeout) {
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
