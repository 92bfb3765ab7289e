package dev.ash.sandbox.launch;

import java.time.Duration;
import java.util.OptionalInt;

/** The process that a server started for a sandbox, and that ends with it. */
sealed interface Outer permits ChildOuter, AdoptedOuter {
    ProcessHandle handle();

    boolean alive();

    void awaitEnd() throws InterruptedException;

    /** 128 and the signal's number, if it was killed; unknown if it was never ours to wait for. */
    OptionalInt exitCode();

    /** Somebody waits for the end for so long: it is to be noticed quickly. */
    void hurry(Duration time);
}
