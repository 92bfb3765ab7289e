package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;

/** Where a pool keeps its rows, so that what exists is known even after a crash. */
public interface SandboxStore {
    /** Before a launch, and before anything is on disk; the row exists already on a resume. */
    void starting(SandboxRow row);

    /** May be called from any thread, for a sandbox can end at any time. */
    void state(SandboxId id, SandboxState state);

    /** After all files are gone. */
    void removed(SandboxId id);
}
