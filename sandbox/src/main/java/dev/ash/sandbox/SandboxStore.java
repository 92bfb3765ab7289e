package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import java.util.Set;

/** Where a pool keeps its rows, so that what exists is known even after a crash. */
public interface SandboxStore {
    /** Before a launch, and before anything is on disk; the row exists already on a resume. */
    void starting(SandboxRow row);

    /** May be called from any thread, for a sandbox can end at any time. */
    void state(SandboxId id, SandboxState state);

    /** A warm sandbox belongs to this session from now on. Stored when this returns. */
    void claimed(SandboxId id, SessionId session);

    /** Those that no session has: at the start of a server, what is left of warm ones. */
    Set<SandboxId> unclaimed();

    /** After all files are gone. */
    void removed(SandboxId id);
}
