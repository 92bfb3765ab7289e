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

/**
 * Finds processes in {@code /proc} by a text in their command line or environment, or by PID
 * namespace.
 */
public final class Processes {
    private static final int TICKS_PER_SECOND = 100; // USER_HZ, 100 on all supported platforms

    /** {@code start} is in clock ticks since the machine started. */
    public record Found(
            long pid, String command, String environment, String pidNamespace, long start) {
        public boolean mentions(String text) {
            return command.contains(text) || environment.contains(text);
        }
    }

    public static List<Found> matching(Predicate<Found> filter) {
        var found = new ArrayList<Found>();
        try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var entry : entries) {
                var process = read(entry);
                if (process.pid() != ProcessHandle.current().pid()
                        && !process.command().isEmpty()
                        && filter.test(process)) {
                    found.add(process);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Kills a process with SIGKILL and waits until it has exited. */
    public static void kill(long pid) {
        var process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Returns the PID namespaces, except the own one, of processes that mention this text. */
    static Set<String> namespacesOf(String text) {
        var namespaces = new HashSet<String>();
        matching(process -> process.mentions(text))
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

    /** Returns the current time in the unit of {@link Found#start}. */
    static long now() {
        var seconds = Double.parseDouble(text(Path.of("/proc/uptime")).split(" ")[0]);
        return (long) (seconds * TICKS_PER_SECOND);
    }

    private static long start(Path entry) {
        var stat = text(entry.resolve("stat"));
        // The name in parentheses may contain spaces; the fields after it do not.
        var fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        return fields.length < 20 ? Long.MAX_VALUE : Long.parseLong(fields[19]);
    }

    private static String link(Path entry) {
        try {
            return Files.readSymbolicLink(entry.resolve("ns/pid")).toString();
        } catch (IOException e) {
            return ""; // exited meanwhile, or not accessible
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
