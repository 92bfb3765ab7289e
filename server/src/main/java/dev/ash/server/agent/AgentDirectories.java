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
 * Manages the directories of agent versions, {@code agents/<id>/<version>}. Each is written to a
 * staging directory, moved into place atomically, and never changed again. Versions are readable by
 * all users, because every sandbox has its own uid; their parent directories cannot be listed.
 */
public final class AgentDirectories {
    private final Path root;

    public AgentDirectories(Path root) throws IOException {
        this.root =
                Files.createDirectories(
                        root,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx--x--x")));
    }

    /** Returns the directory of a version, if it exists. */
    public Optional<Path> find(String agentId, int version) {
        return Optional.of(version(agentId, version)).filter(Files::isDirectory);
    }

    Path version(String agentId, int version) {
        return root.resolve(agentId).resolve(Integer.toString(version));
    }

    /** Creates an empty staging directory for a new version. */
    Path stage(String agentId) throws IOException {
        var agent = root.resolve(agentId);
        Files.createDirectories(agent);
        setMode(agent, "rwx--x--x");
        var staged = Files.createDirectory(agent.resolve("." + UUID.randomUUID()));
        setMode(staged, "rwxr-xr-x");
        return staged;
    }

    /** Moves a staging directory into place as a version. */
    void publish(Path staged, Path version) throws IOException {
        try (var inside = Files.walk(staged)) {
            for (var path : (Iterable<Path>) inside::iterator) {
                if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    setMode(path, "rwxr-xr-x"); // independent of the umask
                }
            }
        }
        remove(version); // left by a deployment that failed before its row was stored
        Files.move(staged, version, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes all other versions. */
    void keepOnly(String agentId, Set<Integer> versions) throws IOException {
        try (var entries = Files.list(root.resolve(agentId))) {
            for (var entry : entries.toList()) {
                if (versions.stream().noneMatch(v -> entry.endsWith(Integer.toString(v)))) {
                    remove(entry);
                }
            }
        }
    }

    /** Returns the versions of an agent that exist on disk. */
    List<Integer> versions(String agentId) throws IOException {
        var directory = root.resolve(agentId);
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (var entries = Files.list(directory)) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> name.matches("[0-9]{1,9}"))
                    .map(Integer::valueOf)
                    .toList();
        }
    }

    /** Removes the directories of unknown agents, left by unfinished deployments. */
    void removeAllExcept(Set<String> agentIds) throws IOException {
        try (var entries = Files.list(root)) {
            for (var entry : entries.toList()) {
                if (!agentIds.contains(String.valueOf(entry.getFileName()))) {
                    remove(entry);
                }
            }
        }
    }

    /** Returns the total size of all files in bytes. */
    static long size(Path directory) throws IOException {
        long bytes = 0;
        try (var inside = Files.walk(directory)) {
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

    static void remove(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> inside;
        try (var walk = Files.walk(directory)) {
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
