package dev.ash.pair.loop;

import java.util.Locale;

/** Who takes part in a run. */
public enum Mode {
    /** One implements, the other reviews. */
    PAIR,
    /** One implements, and is then asked to check its own work. */
    SINGLE,
    /** One reviews what is there; nothing is changed. */
    REVIEW_ONLY;

    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Mode of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
