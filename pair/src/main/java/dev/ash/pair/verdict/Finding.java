package dev.ash.pair.verdict;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a reviewer found.
 *
 * @param id of the finding in the run's ledger that this one raises again; null for a new one
 */
public record Finding(
        @Nullable String id,
        Severity severity,
        @Nullable String file,
        @Nullable Integer line,
        String title,
        @Nullable String detail) {

    /** What makes two findings the same one where no id says so; lines move, so they do not. */
    String key() {
        return (file == null ? "" : file.strip())
                + "\n"
                + title.strip().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
    }

    /** As in {@code [major] Main.java:12 Division by zero}. */
    public String inOneLine() {
        var place = file == null ? "" : file + (line == null ? "" : ":" + line) + " ";
        return "[" + severity.wire() + "] " + place + title;
    }
}
