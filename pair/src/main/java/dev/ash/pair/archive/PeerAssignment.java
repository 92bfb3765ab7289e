package dev.ash.pair.archive;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Assigns an agent or engine, and its session, to a peer of a run.
 *
 * @param request the request that creates the session, in the format of the session API
 * @param session the id of the session; null before it is created
 */
public record PeerAssignment(String agent, RawJson request, @Nullable String session) {
    public PeerAssignment withSession(String id) {
        return new PeerAssignment(agent, request, id);
    }
}
