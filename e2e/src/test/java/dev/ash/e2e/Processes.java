package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Looks for processes in {@code /proc}: by a word in their command or environment, or by place. */
public final class Processes {
    private static final int TICKS_PER_SECOND = 100; // on every Linux that anybody runs

    /** {@code start} is in clock ticks since the machine started. */
    public record Found(
            long pid, String command, String environment, String pidNamespace, long start) {
        public boolean mentions(String word) {
            return command.contains(word) || environment.contains(word);
        }
    }

    public static List<Found> matching(Predicate<Found> wanted) {
        var found = new ArrayList<Found>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var entry : entries) {
                var process = read(entry);
                if (process.pid() != ProcessHandle.current().pid()
                        && !process.command().isEmpty()
                        && wanted.test(process)) {
                    found.add(process);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** SIGKILL to one process, and the proof that it is gone. */
    public static void kill(long pid) {
        var process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** The pid namespaces, other than ours, that processes with this word live in. */
    static Set<String> namespacesOf(String word) {
        var namespaces = new HashSet<String>();
        matching(process -> process.mentions(word))
                .forEach(process -> namespaces.add(process.pidNamespace()));
        namespaces.remove(link(Path.of("/proc/self")));
        namespaces.remove("");
        return namespaces;
    }

    private static Found read(Path entry) {
        return new Found(
                Long.parseLong(entry.getFileName().toString()),
                text(entry.resolve("cmdline")),
                text(entry.resolve("environ")),
                link(entry),
                start(entry));
    }

    /** The present, to compare with {@link Found#start}. */
    static long now() {
        var seconds = Double.parseDouble(text(Path.of("/proc/uptime")).split(" ")[0]);
        return (long) (seconds * TICKS_PER_SECOND);
    }

    private static long start(Path entry) {
        var stat = text(entry.resolve("stat"));
        // The name in parentheses may hold spaces; what follows it does not.
        var fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        return fields.length < 20 ? Long.MAX_VALUE : Long.parseLong(fields[19]);
    }

    private static String link(Path entry) {
        try {
            return Files.readSymbolicLink(entry.resolve("ns/pid")).toString();
        } catch (IOException e) {
            return ""; // gone meanwhile, or not ours to see
        }
    }

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), UTF_8).replace('\0', ' ').strip();
        } catch (IOException e) {
            return "";
        }
    }

    private Processes() {}
}
