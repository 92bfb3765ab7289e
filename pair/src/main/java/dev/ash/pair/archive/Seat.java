package dev.ash.pair.archive;

import org.jspecify.annotations.Nullable;

/**
 * Who sits where: the agent, or engine, that plays a peer.
 *
 * @param session the conversation that plays it; null before there is one
 */
public record Seat(
        String agent, @Nullable String engine, @Nullable String model, @Nullable String session) {
    public Seat in(String conversation) {
        return new Seat(agent, engine, model, conversation);
    }
}
