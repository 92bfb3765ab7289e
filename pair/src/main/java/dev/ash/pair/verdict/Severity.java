package dev.ash.pair.verdict;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How bad a finding is. */
public enum Severity {
    BLOCKER,
    MAJOR,
    MINOR,
    NIT;

    /** Whether work that has it cannot be approved. */
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
