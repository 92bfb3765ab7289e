package dev.ash.server.repository;

import java.util.Locale;

/** What became of a file. */
public enum FileStatus {
    MODIFIED,
    ADDED,
    DELETED,
    UNTRACKED,
    RENAMED;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** By git's letter; what it calls copied is new, and all else is a change. */
    static FileStatus of(char letter) {
        return switch (letter) {
            case 'A', 'C' -> ADDED;
            case 'D' -> DELETED;
            case 'R' -> RENAMED;
            default -> MODIFIED;
        };
    }
}
