package dev.ash.pair.verdict;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Severity of a finding. */
public enum Severity {
    BLOCKER,
    MAJOR,
    MINOR,
    NIT;

    /** Returns whether work with such a finding cannot be approved. */
    public boolean blocks() {
        return this == BLOCKER || this == MAJOR;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Severity> of(String wire) {
        return Stream.of(values()).filter(severity -> severity.wire().equals(wire)).findFirst();
    }
}
