package dev.ash.protocol.bridge;

import org.jspecify.annotations.Nullable;

/**
 * An event with its place: {@code n} counts 1, 2, 3 … for the life of a bridge, 0 where the bridge
 * does not count; {@code turnId} says which turn it belongs to, where the bridge knows.
 */
public record EventFrame(long n, @Nullable String turnId, BridgeEvent event) {
    public static EventFrame of(BridgeEvent event) {
        return new EventFrame(0, null, event);
    }
}
