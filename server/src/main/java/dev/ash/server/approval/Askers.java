package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import java.util.Optional;

/** Finds the bridges that wait for answers, and wakes sessions that have none. */
public interface Askers {
    /** The live bridge of a session. */
    Optional<Asker> of(SessionId session);

    /** The live bridge of a session, if it has this id. */
    default Optional<Asker> of(SessionId session, String bridgeId) {
        return of(session).filter(asker -> asker.bridgeId().equals(bridgeId));
    }

    /**
     * An answer is there and the turn it belongs to is laid aside: go on with it. May come more
     * than once, also for a turn that goes on already. May block; what it throws makes it come
     * again later.
     */
    void wake(SessionId session);
}
