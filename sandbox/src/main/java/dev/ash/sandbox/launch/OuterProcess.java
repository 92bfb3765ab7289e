package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.OptionalInt;

/** The process on the host that a server started for a sandbox; it exits with the sandbox. */
sealed interface OuterProcess permits ChildProcess, AdoptedProcess {
    ProcessHandle handle();

    boolean isAlive();

    void awaitExit() throws InterruptedException;

    /**
     * Returns the exit code, 128 plus the signal number if killed; empty if not a child of this
     * server.
     */
    OptionalInt exitCode();

    /** Detects an exit quickly for this time, because a thread waits for it. */
    void pollFrequently(Duration time);
}
