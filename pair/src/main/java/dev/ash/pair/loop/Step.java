package dev.ash.pair.loop;

import java.util.Locale;

/** The next step of a run. */
public enum Step {
    BEGIN,
    PLAN,
    PLAN_REVIEW,
    WORK,
    /** Saves the work as a commit in the user's repository. */
    KEEP,
    PROOF,
    REVIEW,
    /** The user decides a disagreement. */
    QUESTION,
    OVER;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Step of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
