package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * A child of a server that is gone. The kernel tells nobody but its parent when it ends, so one has
 * to look: seldom, unless somebody waits for it.
 */
final class AdoptedOuter implements Outer {
    private static final long SELDOM_MS = 500;
    private static final long OFTEN_MS = 2;

    private final ProcessHandle handle;
    private final LaunchRecord launch;
    private long hurryUntil = System.nanoTime();

    AdoptedOuter(ProcessHandle handle, LaunchRecord launch) {
        this.handle = handle;
        this.launch = launch;
    }

    @Override
    public ProcessHandle handle() {
        return handle;
    }

    /** By the table and not by the handle, which takes a dead process nobody reaps for alive. */
    @Override
    public boolean alive() {
        return launch.alive();
    }

    @Override
    public synchronized void awaitEnd() throws InterruptedException {
        while (alive()) {
            wait(System.nanoTime() - hurryUntil < 0 ? OFTEN_MS : SELDOM_MS);
        }
    }

    @Override
    public OptionalInt exitCode() {
        return OptionalInt.empty();
    }

    @Override
    public synchronized void hurry(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        if (until - hurryUntil > 0) {
            hurryUntil = until;
        }
        notifyAll();
    }
}
