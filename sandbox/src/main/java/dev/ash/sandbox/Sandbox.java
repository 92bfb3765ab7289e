package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.util.Optional;

/** A running sandbox, with its bridge connected. */
public interface Sandbox extends AutoCloseable {
    SandboxId id();

    /** Returns the nonce of this launch, which is unique across all launches. */
    String launchId();

    BridgeClient bridge();

    boolean isAlive();

    /**
     * Describes how the sandbox exited; waits up to a second for a bridge that has just
     * disconnected.
     */
    String exitReason();

    /**
     * Describes the memory or processes that the sandbox was refused in the last seconds, if any:
     * the likely cause if a process in it has died.
     */
    Optional<String> pressure();

    /**
     * Kills every process in the sandbox and returns once none is left. Files stay. Idempotent and
     * thread-safe.
     */
    @Override
    void close();
}
