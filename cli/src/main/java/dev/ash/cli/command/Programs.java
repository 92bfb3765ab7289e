package dev.ash.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Finds programs on the PATH and asks them something. */
public final class Programs {
    private Programs() {}

    public record Answer(int exitCode, String output) {}

    public static Optional<Path> find(Host host, String name) {
        for (var folder : host.variable("PATH", "/usr/local/bin:/usr/bin:/bin").split(":", -1)) {
            if (!folder.isEmpty()) {
                var program = Path.of(folder).resolve(name);
                if (Files.isRegularFile(program) && Files.isExecutable(program)) {
                    return Optional.of(program);
                }
            }
        }
        return Optional.empty();
    }

    /** What it prints, first line first; a program that takes longer than 10 s is killed. */
    public static Answer run(Host host, List<String> command) {
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().clear();
            builder.environment().putAll(host.env());
            var process = builder.start();
            process.getOutputStream().close();
            var killer = Thread.ofVirtual().start(() -> killLate(process));
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            killer.interrupt();
            return new Answer(code, output.strip());
        } catch (IOException e) {
            return new Answer(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(ExitCode.INTERRUPTED, "interrupted");
        }
    }

    private static void killLate(Process process) {
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it has ended in time
        }
    }
}
