package dev.ash.pair.archive;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Who sits where: the agent, or engine, that plays a peer.
 *
 * @param terms what its session is asked for with, in the words of whoever opens it
 * @param session the conversation that plays it; null before there is one
 */
public record PeerAssignment(String agent, RawJson terms, @Nullable String session) {
    public PeerAssignment in(String conversation) {
        return new PeerAssignment(agent, terms, conversation);
    }
}
