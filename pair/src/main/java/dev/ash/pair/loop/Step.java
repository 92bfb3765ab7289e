package dev.ash.pair.loop;

import java.util.Locale;

/** What a run does next. */
public enum Step {
    BEGIN,
    PLAN,
    PLAN_REVIEW,
    WORK,
    KEEP,
    PROOF,
    REVIEW,
    /** A disagreement waits for the person. */
    QUESTION,
    OVER;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Step of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
