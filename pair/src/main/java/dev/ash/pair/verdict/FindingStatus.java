package dev.ash.pair.verdict;

import java.util.Locale;

/** What became of a finding. */
public enum FindingStatus {
    OPEN,
    FIXED,
    /** The worker gave a reason against it, and the reviewer did not raise it again. */
    REJECTED,
    /** It is left for another day. */
    DEFERRED;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static FindingStatus of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
