package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.util.Set;

/** Persists the rows of a pool, so that a new server knows the sandboxes of a crashed one. */
public interface SandboxStore {
    /** Records a launch before any file is created; on a resume the row exists already. */
    void recordLaunch(SandboxRow row);

    /**
     * Updates the state of a sandbox; called from any thread, as a sandbox can exit at any time.
     */
    void updateState(SandboxId id, SandboxState state);

    /**
     * Returns the sandboxes without a session, or whose session has ended: at start, those are
     * leftover warm ones and those whose removal was not completed.
     */
    Set<SandboxId> findUnused();

    /** Deletes the row, after all files are deleted. */
    void delete(SandboxId id);
}
