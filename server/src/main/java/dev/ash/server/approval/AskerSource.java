package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import java.util.Optional;

/** Finds askers that are not bridges: terminals and pair runs. */
public interface AskerSource {
    /** Returns the asker with this id, if it still waits. */
    Optional<Asker> find(SessionId session, String askerId);
}
