package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.OptionalInt;

/** A child of this server. */
record ChildOuter(Process process) implements Outer {
    @Override
    public ProcessHandle handle() {
        return process.toHandle();
    }

    @Override
    public boolean alive() {
        return process.isAlive();
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        process.waitFor();
    }

    @Override
    public OptionalInt exitCode() {
        return OptionalInt.of(process.exitValue());
    }

    @Override
    public void hurry(Duration time) {
        // The kernel tells at once when a child ends.
    }
}
