package dev.ash.e2e.isolation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of one process from /proc, for {@link InventoryTest}.
 *
 * @param groups its control groups, one line for each hierarchy
 */
record ProcessSnapshot(
        long pid,
        String command,
        String program,
        String pidNamespace,
        String userNamespace,
        String groups,
        String status) {

    private static final Path PROC = Path.of("/proc");

    /** Returns the parent pid of every process. */
    static Map<Long, Long> parents() throws IOException {
        var parents = new HashMap<Long, Long>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                try {
                    var pid = Long.parseLong(entry.getFileName().toString());
                    parents.put(pid, Long.parseLong(stat(entry).get(1)));
                } catch (IOException | RuntimeException e) {
                    // The process has exited.
                }
            }
        }
        return parents;
    }

    /** Returns empty for a process that exits or calls exec during the read. */
    static Optional<ProcessSnapshot> read(long pid) {
        var directory = PROC.resolve(Long.toString(pid));
        try {
            var snapshot =
                    new ProcessSnapshot(
                            pid,
                            text(directory.resolve("cmdline")).replace('\0', ' ').strip(),
                            link(directory.resolve("exe")),
                            link(directory.resolve("ns/pid")),
                            link(directory.resolve("ns/user")),
                            text(directory.resolve("cgroup")),
                            text(directory.resolve("status")));
            // After an exec in between, the values belong to two programs; the next poll reads it
            // again.
            boolean same =
                    text(directory.resolve("cmdline"))
                                    .replace('\0', ' ')
                                    .strip()
                                    .equals(snapshot.command)
                            && link(directory.resolve("exe")).equals(snapshot.program);
            return same && !snapshot.command.isEmpty() ? Optional.of(snapshot) : Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Returns a field of the status file. */
    String status(String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** Returns an empty string if this user may not read the link. */
    private static String link(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static List<String> stat(Path directory) throws IOException {
        var stat = text(directory.resolve("stat"));
        return List.of(stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }
}
