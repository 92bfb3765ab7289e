package dev.ash.server.project;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The folders below which sessions may work.
 *
 * @param isHome whether the one there is was not chosen by anybody, but is a user's home: neither
 *     it nor what is hidden in it, where keys and settings are kept, is anybody's project
 */
record Roots(List<Path> folders, boolean isHome) {
    static final Roots NONE = new Roots(List.of(), false);

    boolean isEmpty() {
        return folders.isEmpty();
    }

    /** Whether a path that nobody has looked up could lie in one of them. */
    boolean mayHold(Path path) {
        return folders.stream()
                .anyMatch(root -> path.startsWith(root) || path.startsWith(real(root)));
    }

    boolean hold(Path real) {
        return folders.stream().anyMatch(root -> holds(real(root), real));
    }

    private boolean holds(Path root, Path path) {
        if (!path.startsWith(root)) {
            return false;
        }
        return !isHome || (!path.equals(root) && !isHidden(root.relativize(path).getName(0)));
    }

    private static boolean isHidden(Path name) {
        return name.toString().startsWith(".");
    }

    private static Path real(Path root) {
        try {
            return root.toRealPath();
        } catch (IOException e) {
            return root; // not there: nothing lies in it
        }
    }

    @Override
    public String toString() {
        return folders.stream().map(Path::toString).collect(Collectors.joining(", "))
                + (isHome ? " (not hidden, and not that folder itself)" : "");
    }
}
