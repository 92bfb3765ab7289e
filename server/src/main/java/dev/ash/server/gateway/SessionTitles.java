package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import java.util.Optional;

/** Finds the titles of sessions, such as those of pairs. */
public interface SessionTitles {
    Optional<String> of(SessionId session);
}
