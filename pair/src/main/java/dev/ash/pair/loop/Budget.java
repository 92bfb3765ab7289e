package dev.ash.pair.loop;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run.
 *
 * @param time maximum run time, excluding pauses
 * @param turn maximum duration of a peer's turn or a proof
 * @param tokens maximum input and output tokens of all turns; null for no limit
 * @param costUsd maximum cost of all turns; null for no limit
 * @param stalemateRounds number of consecutive rounds without progress that end the run
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
