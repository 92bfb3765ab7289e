package dev.ash.protocol.bridge;

import org.jspecify.annotations.Nullable;

/**
 * An event with its position in the stream of a bridge.
 *
 * @param n the sequence number, from 1 for the first event of a bridge; 0 if the bridge does not
 *     number its events
 * @param turnId the turn of the event, if the bridge reports it
 */
public record EventFrame(long n, @Nullable String turnId, BridgeEvent event) {
    public static EventFrame of(BridgeEvent event) {
        return new EventFrame(0, null, event);
    }
}
