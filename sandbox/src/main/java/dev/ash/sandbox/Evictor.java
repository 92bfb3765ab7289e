package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;

/**
 * Knows whether the session of a waiting sandbox can do without it. Asked by threads that start
 * sandboxes while there is no room, perhaps several at once; so it does not wait for a session that
 * is busy with something else, but says no.
 */
public interface Evictor {
    /** Leaves every session its sandbox. */
    Evictor NONE = _ -> false;

    /**
     * True if the session has let go: nobody uses this sandbox any more, and the pool ends it if it
     * still runs. False if not, or if there is no such session; the sandbox is then left alone.
     */
    boolean evict(SandboxId id);
}
