package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.util.Optional;

/** A running sandbox, with its bridge connected. */
public interface Sandbox extends AutoCloseable {
    SandboxId id();

    /** The nonce of this launch: no other launch of this or any sandbox has the same. */
    String launchId();

    BridgeClient bridge();

    boolean alive();

    /** How it ended, for people; a bridge that has just hung up is given a second to do so. */
    String death();

    /**
     * A sentence about the memory or the processes that it wanted and did not get within the last
     * seconds: asked when something in it has died, it is the likely cause.
     */
    Optional<String> pressure();

    /**
     * Ends every process in the sandbox and returns once none is left. Files stay. May be called
     * from any thread, any number of times.
     */
    @Override
    void close();
}
