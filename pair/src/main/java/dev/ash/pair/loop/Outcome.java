package dev.ash.pair.loop;

import java.util.Locale;

/** How a run ended, and what {@code ash pair} then ends with. */
public enum Outcome {
    /** The work was approved, and its proof, if there is one, is green. */
    COMPLETED(0),
    /** A reviewer alone, or the person, said that the work is not right. */
    REJECTED(10),
    /** Nothing moved any more: the same commit and the same findings, round after round. */
    STALEMATE(11),
    MAX_ROUNDS(12),
    /** Tokens or money. */
    BUDGET_EXHAUSTED(13),
    TIMEOUT(14),
    CANCELLED(15),
    /** A peer died, or did not answer. */
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
