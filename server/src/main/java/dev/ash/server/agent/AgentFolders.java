package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The folders of agents: {@code agents/<id>/<version>}, each written aside and then moved into
 * place whole, and never changed after that. Readable by all, because every sandbox has a uid of
 * its own; the folder above cannot be listed.
 */
public final class AgentFolders {
    private static final Set<String> LEFT_OUT =
            Set.of(".git", "node_modules", "__pycache__", ".venv", "venv", ".cache");
    private static final long MAX_AGENT_BYTES = 512L * 1024 * 1024;

    private final Path root;

    public AgentFolders(Path root) throws IOException {
        this.root =
                Files.createDirectories(
                        root,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx--x--x")));
    }

    Path version(String agentId, int version) {
        return root.resolve(agentId).resolve(Integer.toString(version));
    }

    /** A new, empty folder that will become a version. */
    Path stage(String agentId) throws IOException {
        var agent = root.resolve(agentId);
        Files.createDirectories(agent);
        setMode(agent, "rwx--x--x");
        var staged = Files.createDirectory(agent.resolve("." + UUID.randomUUID()));
        setMode(staged, "rwxr-xr-x");
        return staged;
    }

    void finish(Path staged, Path version) throws IOException {
        remove(version); // left over from a deploy that was cut off before its row
        Files.move(staged, version, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Copies a folder in. Links are kept only where they lead to something inside the folder. */
    static void copy(Path from, Path to) throws IOException {
        var source = from.toRealPath();
        Files.walkFileTree(source, new Copier(source, to));
    }

    /** Removes all versions but these. */
    void keepOnly(String agentId, Set<Integer> versions) throws IOException {
        try (var entries = Files.list(root.resolve(agentId))) {
            for (var entry : entries.toList()) {
                if (versions.stream().noneMatch(v -> entry.endsWith(Integer.toString(v)))) {
                    remove(entry);
                }
            }
        }
    }

    void removeAll(String agentId) throws IOException {
        remove(root.resolve(agentId));
    }

    static void remove(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> inside;
        try (var walk = Files.walk(folder)) {
            inside = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (var path : inside) {
            Files.deleteIfExists(path);
        }
    }

    private static void setMode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static final class Copier extends SimpleFileVisitor<Path> {
        private final Path source;
        private final Path target;
        private long bytes;

        private Copier(Path source, Path target) {
            this.source = source;
            this.target = target;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes)
                throws IOException {
            if (!dir.equals(source)) {
                if (LEFT_OUT.contains(dir.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                var copy = target.resolve(source.relativize(dir));
                Files.createDirectory(copy);
                setMode(copy, "rwxr-xr-x");
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            var copy = target.resolve(source.relativize(file));
            if (attributes.isSymbolicLink()) {
                copyLink(file, copy);
            } else if (attributes.isRegularFile()) {
                bytes += attributes.size();
                if (bytes > MAX_AGENT_BYTES) {
                    throw new ApiException(
                            ErrorCode.PAYLOAD_TOO_LARGE,
                            "The agent's folder has more than %d MiB"
                                    .formatted(MAX_AGENT_BYTES / 1024 / 1024));
                }
                Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS);
                setMode(copy, Files.isExecutable(file) ? "rwxr-xr-x" : "rw-r--r--");
            } else {
                throw ApiException.invalid(
                        "path", source.relativize(file) + " is neither a file nor a folder");
            }
            return FileVisitResult.CONTINUE;
        }

        private void copyLink(Path link, Path copy) throws IOException {
            var leadsTo = Files.readSymbolicLink(link);
            var there = link.resolveSibling(leadsTo).normalize();
            if (leadsTo.isAbsolute() || !there.startsWith(source)) {
                throw ApiException.invalid(
                        "path",
                        "%s is a link that leads out of the agent's folder"
                                .formatted(source.relativize(link)));
            }
            Files.createSymbolicLink(copy, leadsTo);
        }
    }
}
