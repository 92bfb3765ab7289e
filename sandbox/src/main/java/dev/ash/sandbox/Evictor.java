package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;

/**
 * Decides whether the session of an idle sandbox can release it. Called by threads that start
 * sandboxes while the pool is full, possibly concurrently; an implementation must not wait for a
 * busy session, but return false.
 */
public interface Evictor {
    /** Never releases a sandbox. */
    Evictor NONE = _ -> false;

    /**
     * Releases the sandbox of a session. Returns true if the session no longer uses the sandbox;
     * the pool then terminates it if it still runs. Returns false if the session keeps it or does
     * not exist.
     */
    boolean evict(SandboxId id);
}
