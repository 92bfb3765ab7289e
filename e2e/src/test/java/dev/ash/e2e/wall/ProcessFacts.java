package dev.ash.e2e.wall;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the kernel tells about one process, for {@link InventoryTest}.
 *
 * @param groups its control groups, one line for each hierarchy
 */
record ProcessFacts(
        long pid,
        String command,
        String program,
        String pidNamespace,
        String userNamespace,
        String groups,
        String status) {

    private static final Path PROC = Path.of("/proc");

    /** The parent of every process. */
    static Map<Long, Long> parents() throws IOException {
        var parents = new HashMap<Long, Long>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                try {
                    var pid = Long.parseLong(entry.getFileName().toString());
                    parents.put(pid, Long.parseLong(stat(entry).get(1)));
                } catch (IOException | RuntimeException e) {
                    // It has ended.
                }
            }
        }
        return parents;
    }

    /** Empty for a process that ended meanwhile, also between two of the questions. */
    static Optional<ProcessFacts> read(long pid) {
        var folder = PROC.resolve(Long.toString(pid));
        try {
            var facts =
                    new ProcessFacts(
                            pid,
                            text(folder.resolve("cmdline")).replace('\0', ' ').strip(),
                            link(folder.resolve("exe")),
                            link(folder.resolve("ns/pid")),
                            link(folder.resolve("ns/user")),
                            text(folder.resolve("cgroup")),
                            text(folder.resolve("status")));
            // One that called exec meanwhile was two programs: it is looked at again later.
            boolean same =
                    text(folder.resolve("cmdline")).replace('\0', ' ').strip().equals(facts.command)
                            && link(folder.resolve("exe")).equals(facts.program);
            return same && !facts.command.isEmpty() ? Optional.of(facts) : Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** A line of its status, without the name. */
    String status(String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** Empty where the process hides it from this user. */
    private static String link(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static List<String> stat(Path folder) throws IOException {
        var stat = text(folder.resolve("stat"));
        return List.of(stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }
}
