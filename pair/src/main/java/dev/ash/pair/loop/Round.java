package dev.ash.pair.loop;

import org.jspecify.annotations.Nullable;

/**
 * The result of a round, for the report.
 *
 * @param proof the exit code of the proof; null if it was not run
 * @param verdict PASS or FAIL; null without a review
 */
public record Round(
        int number,
        @Nullable String commit,
        @Nullable Integer proof,
        @Nullable String verdict,
        String note) {}
