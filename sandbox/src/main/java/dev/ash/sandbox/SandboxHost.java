package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * The operations of a {@link SandboxManager} that a pool uses; tests implement them without
 * processes.
 */
interface SandboxHost {
    /** Resolves the names of the spec; throws if the host does not have them. */
    LocalSpec resolve(SandboxSpec spec);

    /**
     * Launches a sandbox; runs {@code onExit} once no process of it is left, whatever the cause.
     */
    Sandbox launch(LocalSpec spec, Runnable onExit);

    /** Adopts a sandbox that a killed server left running, or kills what is left of it. */
    Optional<Sandbox> adopt(SandboxId id, String nonce, Runnable onExit);

    /** Kills what a killed server left running of a sandbox; returns false if there is nothing. */
    boolean killLeftovers(SandboxId id);

    /** Kills all processes of sandboxes that this server does not run. */
    void killOrphans();

    /** Returns the number of such processes; zero in normal operation. */
    int orphans();

    /** Terminates a running or starting sandbox and waits until it has exited; its files stay. */
    void terminate(SandboxId id);

    /** Terminates sandboxes concurrently; failures are only logged. */
    void terminate(Collection<SandboxId> ids);

    /** Terminates a sandbox if it runs, and deletes its files. */
    void discard(SandboxId id);

    /** Copies the workspace and home of a sandbox that does not run to another. */
    void copy(SandboxId from, SandboxId to);

    Path workspace(SandboxId id);

    /** Returns every sandbox that has files, running or not. */
    Set<SandboxId> existing();
}
