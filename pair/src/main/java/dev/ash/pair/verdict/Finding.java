package dev.ash.pair.verdict;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A problem that a reviewer reports.
 *
 * @param id the ledger id of an earlier finding that this one raises again; null for a new one
 */
public record Finding(
        @Nullable String id,
        Severity severity,
        @Nullable String file,
        @Nullable Integer line,
        String title,
        @Nullable String detail) {

    /** Identifies findings without an id. Excludes the line, which changes between commits. */
    String key() {
        return (file == null ? "" : file.strip())
                + "\n"
                + title.strip().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    }

    /** Formats the finding as {@code [major] Main.java:12 Division by zero}. */
    public String inOneLine() {
        var place = file == null ? "" : file + (line == null ? "" : ":" + line) + " ";
        return "[" + severity.wire() + "] " + place + title;
    }
}
