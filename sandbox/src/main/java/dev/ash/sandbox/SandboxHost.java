package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/** What a pool needs of a {@link SandboxManager}; tests bring one without processes. */
interface SandboxHost {
    /** Fails if the host does not have what the spec names. */
    LocalSpec resolve(SandboxSpec spec);

    /** Tells when the sandbox has ended, by whatever cause, and nothing of it runs any more. */
    Sandbox launch(LocalSpec spec, Runnable whenGone);

    /** Takes over a sandbox that a killed server left running, or ends what is left of it. */
    Optional<Sandbox> adopt(SandboxId id, String nonce, Runnable whenGone);

    /** Ends what a killed server left running of one; false if there is nothing to end. */
    boolean endLeftovers(SandboxId id);

    /** Ends what still runs of sandboxes that this server does not run, whether known or not. */
    void endStrays();

    /** How many processes of such sandboxes there are: none, unless something went wrong. */
    int orphans();

    /** Ends a sandbox that runs or is being started, and waits for that; its files stay. */
    void end(SandboxId id);

    /** The same for many at once, whose failures are only logged. */
    void end(Collection<SandboxId> ids);

    /** Ends a sandbox if it runs, and removes all that there is of it. */
    void discard(SandboxId id);

    /** Gives a sandbox copies of the workspace and home of one that does not run. */
    void copy(SandboxId from, SandboxId to);

    Path workspace(SandboxId id);

    /** Every sandbox that has files, running or not. */
    Set<SandboxId> existing();
}
