package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import java.util.Optional;

/** Finds the bridges that wait for answers, and wakes sessions without a bridge. */
public interface Askers {
    /** Returns the live bridge of a session. */
    Optional<Asker> askerOf(SessionId session);

    /** Returns the live bridge of a session, if it has this id. */
    default Optional<Asker> askerOf(SessionId session, String bridgeId) {
        return askerOf(session).filter(asker -> asker.bridgeId().equals(bridgeId));
    }

    /**
     * Resumes a deferred turn whose question is decided. May be called repeatedly, also for a turn
     * that has resumed. May block; the call is retried later if it throws.
     */
    void wake(SessionId session);
}
