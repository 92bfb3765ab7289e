package dev.ash.pair.verdict;

import java.util.Locale;

/** Status of a finding; called {@code fate} in the API and in manifests. */
public enum FindingStatus {
    OPEN,
    FIXED,
    /** The worker rejected it with a reason, and the reviewer did not raise it again. */
    REJECTED,
    /** Postponed; does not block approval. */
    DEFERRED;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static FindingStatus of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
