package dev.ash.server.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The folders of agents: {@code agents/<id>/<version>}, each written aside and then moved into
 * place whole, and never changed after that. Readable by all, because every sandbox has a uid of
 * its own; the folder above cannot be listed.
 */
public final class AgentFolders {
    private final Path root;

    public AgentFolders(Path root) throws IOException {
        this.root =
                Files.createDirectories(
                        root,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx--x--x")));
    }

    /** The folder of a version, if it is still there. */
    public Optional<Path> find(String agentId, int version) {
        return Optional.of(version(agentId, version)).filter(Files::isDirectory);
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
        try (var inside = Files.walk(staged)) {
            for (var path : (Iterable<Path>) inside::iterator) {
                if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    setMode(path, "rwxr-xr-x"); // whatever the umask is
                }
            }
        }
        remove(version); // left over from a deploy that was cut off before its row
        Files.move(staged, version, StandardCopyOption.ATOMIC_MOVE);
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

    /** The versions of an agent that are on disk. */
    List<Integer> versions(String agentId) throws IOException {
        var folder = root.resolve(agentId);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var entries = Files.list(folder)) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> name.matches("[0-9]{1,9}"))
                    .map(Integer::valueOf)
                    .toList();
        }
    }

    /** Removes the folders of agents that there are not: their deployment did not end. */
    void removeUnknown(Set<String> agentIds) throws IOException {
        try (var entries = Files.list(root)) {
            for (var entry : entries.toList()) {
                if (!agentIds.contains(String.valueOf(entry.getFileName()))) {
                    remove(entry);
                }
            }
        }
    }

    /** The bytes of all files in it. */
    static long size(Path folder) throws IOException {
        long bytes = 0;
        try (var inside = Files.walk(folder)) {
            for (var path : (Iterable<Path>) inside::iterator) {
                if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    bytes += Files.size(path);
                }
            }
        }
        return bytes;
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
}
