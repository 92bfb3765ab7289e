package dev.ash.cli;

import dev.ash.pair.run.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The repository that a pair is about, as it is on this machine. */
record PairRepository(Path folder, Repository found) {
    private static final String ROOTS = "ASH_PROJECT_ROOTS";

    static PairRepository of(Host host, String folder) {
        var path = host.resolve(folder);
        try {
            return new PairRepository(path, Repository.of(path));
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.USAGE,
                    "The folder %s cannot be read: %s.".formatted(path, IoReason.of(e)));
        }
    }

    /** What servers call the run of this number. */
    String pairId(String number) {
        return found.id() + "-" + number;
    }

    PairRepository required() {
        if (!Files.exists(found.top().resolve(".git"))) {
            throw new Failure(
                    ExitCode.USAGE,
                    "%s is not in a git repository. Go to one, name one with --repo, or make it one: git init, and a first commit."
                            .formatted(folder));
        }
        return this;
    }

    /**
     * The settings that open it to a server which is not started yet; none where it is open anyway.
     */
    Map<String, String> opened(Host host) {
        var told = host.variable(ROOTS, "");
        var roots = new ArrayList<String>();
        if (!told.isEmpty()) {
            roots.add(told);
        }
        for (var needed : List.of(found.top(), found.commonGitFolder())) {
            if (!isOpen(host, roots, needed)) {
                roots.add(named(needed));
            }
        }
        return roots.isEmpty() || roots.equals(List.of(told))
                ? Map.of()
                : Map.of(ROOTS, String.join(":", roots));
    }

    private static boolean isOpen(Host host, List<String> roots, Path folder) {
        if (roots.isEmpty()) {
            return isOpenByDefault(host, folder);
        }
        return List.of(String.join(":", roots).split(":", -1)).stream()
                .map(String::strip)
                .filter(root -> root.startsWith("/"))
                .anyMatch(root -> folder.startsWith(real(Path.of(root))));
    }

    /** A server of a person's has its home open, without what is hidden there. */
    private static boolean isOpenByDefault(Host host, Path folder) {
        var home = real(host.home());
        return !host.isRoot()
                && folder.startsWith(home)
                && !folder.equals(home)
                && !home.relativize(folder).getName(0).toString().startsWith(".");
    }

    private static String named(Path folder) {
        if (folder.toString().contains(":")) {
            throw new Failure(
                    "%s has a colon in its path, so that %s cannot name it. Move the repository."
                            .formatted(folder, ROOTS));
        }
        return folder.toString();
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.normalize();
        }
    }
}
