package dev.ash.server.repository;

import java.util.List;
import java.util.Locale;

/**
 * The changes of one file.
 *
 * @param binary whether it has no lines to show, so that there are no hunks
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

    /** Lines that changed, with some around them; the header is git's own line. */
    public record Hunk(
            String header,
            int oldStart,
            int oldLines,
            int newStart,
            int newLines,
            List<FileDiff.Line> lines) {}

    /** A line with its marker in front. */
    public record Line(FileDiff.Kind kind, String content) {}

    /** Whether a line is in both versions, or only in one. */
    public enum Kind {
        CONTEXT,
        REMOVED,
        ADDED;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
