package dev.ash.pair.loop;

import java.util.Locale;

/** Which peers take part in a run. */
public enum Mode {
    /** A worker implements, a reviewer reviews. */
    PAIR,
    /** A worker implements and then reviews its own work. */
    SINGLE,
    /** A reviewer reviews existing commits; nothing is changed. */
    REVIEW_ONLY;

    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Mode of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
