package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import java.util.Optional;

/** Names of sessions that have one of their own, such as those of pairs. */
public interface SessionTitles {
    Optional<String> of(SessionId session);
}
