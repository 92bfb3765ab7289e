package dev.ash.pair.loop;

import java.util.Locale;

/** How a run ended, with the exit code of {@code ash pair}. */
public enum Outcome {
    /** The work was approved, and its proof, if any, succeeded. */
    COMPLETED(0),
    /** The reviewer of a review-only run, or the user, rejected the work. */
    REJECTED(10),
    /** No progress: same commit and same findings for several rounds. */
    STALEMATE(11),
    MAX_ROUNDS(12),
    /** The token or cost limit was reached. */
    BUDGET_EXHAUSTED(13),
    TIMEOUT(14),
    CANCELLED(15),
    /** A peer failed or exceeded the turn limit. */
    AGENT_FAILED(16);

    private final int exitCode;

    Outcome(int exitCode) {
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Outcome of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
