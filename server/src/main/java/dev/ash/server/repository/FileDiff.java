package dev.ash.server.repository;

import java.util.List;
import java.util.Locale;

/**
 * The changes of one file.
 *
 * @param binary whether the file is binary; it has no hunks then
 */
public record FileDiff(
        String path,
        String oldPath,
        String newPath,
        FileStatus status,
        int additions,
        int deletions,
        boolean binary,
        List<FileDiff.Hunk> hunks) {

    /** Changed lines with context; the header is git's own line. */
    public record Hunk(
            String header,
            int oldStart,
            int oldLines,
            int newStart,
            int newLines,
            List<FileDiff.Line> lines) {}

    /** A line, including its marker. */
    public record Line(FileDiff.Kind kind, String content) {}

    /** Whether a line is in both versions, only in the old, or only in the new one. */
    public enum Kind {
        CONTEXT,
        REMOVED,
        ADDED;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
