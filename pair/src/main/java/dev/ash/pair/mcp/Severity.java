package dev.ash.pair.mcp;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How bad a finding is, the worst first. */
public enum Severity {
    CRITICAL,
    HIGH,
    MEDIUM,
    LOW;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Severity> of(String wire) {
        return Arrays.stream(values()).filter(one -> one.wire().equals(wire)).findFirst();
    }

    static List<String> wires() {
        return Arrays.stream(values()).map(Severity::wire).toList();
    }
}
