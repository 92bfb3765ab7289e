package dev.ash.server.repository;

import java.util.Locale;

/** The kind of change of a file. */
public enum FileStatus {
    MODIFIED,
    ADDED,
    DELETED,
    UNTRACKED,
    RENAMED;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Maps git's status letter; copied files count as added, unknown letters as modified. */
    static FileStatus of(char letter) {
        return switch (letter) {
            case 'A', 'C' -> ADDED;
            case 'D' -> DELETED;
            case 'R' -> RENAMED;
            default -> MODIFIED;
        };
    }
}
