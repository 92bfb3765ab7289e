package dev.ash.bench.result;

import java.util.Locale;

/**
 * A limit that a figure must meet.
 *
 * @param requirement the limit as text, with the measured values that it depends on
 */
public record Verdict(String requirement, boolean met) {
    public static Verdict atMost(String what, double value, double limit, String unit) {
        return new Verdict(
                "%s %s ≤ %s %s".formatted(what, number(value), number(limit), unit).strip(),
                value <= limit);
    }

    public static Verdict atLeast(String what, double value, double limit, String unit) {
        return new Verdict(
                "%s %s ≥ %s %s".formatted(what, number(value), number(limit), unit).strip(),
                value >= limit);
    }

    /** Adds how the limit was derived, such as {@code 2 × (0.4 + 0.1)}. */
    public Verdict because(String derivation) {
        return new Verdict(requirement + " (" + derivation + ")", met);
    }

    /** Formats a number with three significant digits. */
    public static String number(double value) {
        double size = Math.abs(value);
        var format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.3f";
        return size == 0 ? "0" : String.format(Locale.ROOT, format, value);
    }
}
