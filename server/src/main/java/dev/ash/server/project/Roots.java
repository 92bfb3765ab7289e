package dev.ash.server.project;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The folders below which sessions may work.
 *
 * @param home one that nobody chose, a user's home: neither it nor what is hidden in it, where keys
 *     and settings are kept, is anybody's project
 */
record Roots(List<Path> folders, Optional<Path> home) {
    static final Roots NONE = of(List.of());

    static Roots of(List<Path> folders) {
        return new Roots(folders, Optional.empty());
    }

    static Roots ofHome(Path home) {
        return new Roots(List.of(), Optional.of(home));
    }

    Roots and(List<Path> more) {
        return new Roots(Stream.concat(folders.stream(), more.stream()).toList(), home);
    }

    boolean isEmpty() {
        return folders.isEmpty() && home.isEmpty();
    }

    /** Whether a path that nobody has looked up could lie in one of them. */
    boolean mayHold(Path path) {
        return Stream.concat(folders.stream(), home.stream())
                .anyMatch(root -> path.startsWith(root) || path.startsWith(real(root)));
    }

    boolean hold(Path real) {
        return folders.stream().anyMatch(root -> real.startsWith(real(root)))
                || home.filter(root -> holdsOpenly(real(root), real)).isPresent();
    }

    private static boolean holdsOpenly(Path root, Path path) {
        return path.startsWith(root)
                && !path.equals(root)
                && !root.relativize(path).getName(0).toString().startsWith(".");
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
        return Stream.concat(
                        folders.stream().map(Path::toString),
                        home.stream()
                                .map(root -> root + " (not hidden, and not that folder itself)"))
                .collect(Collectors.joining(", "));
    }
}
