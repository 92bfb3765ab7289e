package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.OptionalInt;

/** The outer process of a sandbox that this server started. */
record ChildProcess(Process process) implements OuterProcess {
    @Override
    public ProcessHandle handle() {
        return process.toHandle();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void awaitExit() throws InterruptedException {
        process.waitFor();
    }

    @Override
    public OptionalInt exitCode() {
        return OptionalInt.of(process.exitValue());
    }

    @Override
    public void pollFrequently(Duration time) {
        // Nothing to do: the exit of a child is reported immediately.
    }
}
