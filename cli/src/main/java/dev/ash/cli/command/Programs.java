package dev.ash.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Finds programs on the PATH and runs them. */
public final class Programs {
    private Programs() {}

    /** Exit code and combined output of a program. */
    public record Result(int exitCode, String output) {}

    public static Optional<Path> find(Host host, String name) {
        for (var directory : host.variable("PATH", "/usr/local/bin:/usr/bin:/bin").split(":", -1)) {
            if (!directory.isEmpty()) {
                var program = Path.of(directory).resolve(name);
                if (Files.isRegularFile(program) && Files.isExecutable(program)) {
                    return Optional.of(program);
                }
            }
        }
        return Optional.empty();
    }

    /** Runs a program and returns its output; kills it after 10 s. */
    public static Result run(Host host, List<String> command) {
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().clear();
            builder.environment().putAll(host.env());
            var process = builder.start();
            process.getOutputStream().close();
            var killer = Thread.ofVirtual().start(() -> killAfterTimeout(process));
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            killer.interrupt();
            return new Result(code, output.strip());
        } catch (IOException e) {
            return new Result(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result(ExitCode.INTERRUPTED, "interrupted");
        }
    }

    private static void killAfterTimeout(Process process) {
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the process has exited
        }
    }
}
