package dev.ash.bench.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Describes the measured commit and the machine. */
public final class Machine {
    /** Returns the processors, memory, kernel and JDK. */
    public static String describe() throws IOException {
        return "%d processors (%s), %d GB, Linux %s, JDK %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        value(Path.of("/proc/cpuinfo"), "model name"),
                        Math.round(
                                Long.parseLong(
                                                value(Path.of("/proc/meminfo"), "MemTotal")
                                                        .replaceAll("\\D", ""))
                                        / 1048576.0),
                        System.getProperty("os.version"),
                        System.getProperty("java.version"));
    }

    private static String value(Path file, String name) throws IOException {
        for (var line : Files.readAllLines(file)) {
            if (line.startsWith(name)) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "unknown";
    }

    /** Returns the abbreviated commit of a clone, with a plus sign if files differ from it. */
    public static String commit(Path clone) throws InterruptedException {
        var commit = git(clone, "rev-parse", "--short=8", "HEAD");
        var changed = git(clone, "status", "--porcelain", "--untracked-files=no", "--", "*.java");
        return commit.isEmpty() ? "unknown" : commit + (changed.isEmpty() ? "" : "+");
    }

    private static String git(Path clone, String... arguments) throws InterruptedException {
        var command = new ArrayList<>(List.of("git", "-C", clone.toString()));
        command.addAll(List.of(arguments));
        try {
            var process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            var output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            return process.waitFor() == 0 ? output : "";
        } catch (IOException e) {
            return ""; // without git
        }
    }

    private Machine() {}
}
