package dev.ash.pair.loop;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a run may use.
 *
 * @param time while the loop works; what it waits for a person in a pause does not count
 * @param turn the longest that one turn of a peer or one proof may take
 * @param tokens of all turns together, in and out; null for no limit
 * @param stalemateRounds so many rounds without any movement are one
 */
public record Budget(
        int rounds,
        Duration time,
        Duration turn,
        @Nullable Long tokens,
        @Nullable Double costUsd,
        int stalemateRounds) {
    public static final Budget DEFAULT =
            new Budget(20, Duration.ofHours(2), Duration.ofMinutes(45), null, null, 3);
}
