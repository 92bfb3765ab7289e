package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * The outer process of a sandbox that an earlier server started. The kernel reports an exit to the
 * parent only, so this class polls: at a long interval, unless a thread waits for the exit.
 */
final class AdoptedProcess implements OuterProcess {
    private static final long LONG_INTERVAL_MS = 500;
    private static final long SHORT_INTERVAL_MS = 2;

    private final ProcessHandle handle;
    private final LaunchRecord launch;
    private long pollFrequentlyUntil = System.nanoTime();

    AdoptedProcess(ProcessHandle handle, LaunchRecord launch) {
        this.handle = handle;
        this.launch = launch;
    }

    @Override
    public ProcessHandle handle() {
        return handle;
    }

    /** Reads the process table: a handle reports a zombie as alive. */
    @Override
    public boolean isAlive() {
        return launch.isAlive();
    }

    @Override
    public synchronized void awaitExit() throws InterruptedException {
        while (isAlive()) {
            wait(
                    System.nanoTime() - pollFrequentlyUntil < 0
                            ? SHORT_INTERVAL_MS
                            : LONG_INTERVAL_MS);
        }
    }

    @Override
    public OptionalInt exitCode() {
        return OptionalInt.empty();
    }

    @Override
    public synchronized void pollFrequently(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        if (until - pollFrequentlyUntil > 0) {
            pollFrequentlyUntil = until;
        }
        notifyAll();
    }
}
