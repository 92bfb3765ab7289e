package dev.ash.cli.engine;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import dev.ash.cli.terminal.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs npm in a directory. */
final class Npm {
    private static final long MAX_MINUTES = 30;
    private static final int MAX_SHOWN = 2000;

    private final Host host;
    private final Path directory;

    Npm(Host host, Path directory) {
        this.host = host;
        this.directory = directory;
    }

    /**
     * Installs exactly the packages of a lock file of this build, whose checksums npm compares.
     * Scripts of the packages do not run.
     *
     * @param tick is called repeatedly while npm runs
     */
    void installLocked(String name, Runnable tick) throws IOException {
        var npm =
                Programs.find(host, "npm")
                        .orElseThrow(
                                () ->
                                        new CommandException(
                                                "npm was not found. Install Node.js 20 or later with npm, and try again."));
        write(name, "package.json");
        write(name, "package-lock.json");
        var builder =
                new ProcessBuilder(
                                npm.toString(),
                                "ci",
                                "--ignore-scripts",
                                "--no-audit",
                                "--no-fund",
                                "--loglevel=error")
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log().toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().clear();
        builder.environment().putAll(host.env());
        int code = await(builder.start(), tick);
        if (code != 0) {
            throw new CommandException(
                    "npm failed with exit code %d: %s\nCheck the connection to the npm registry, and try again."
                            .formatted(code, output()));
        }
    }

    private void write(String name, String file) throws IOException {
        var resource = "lock/" + name + "/" + file;
        try (var in = Npm.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the build");
            }
            Files.copy(in, directory.resolve(file));
        }
    }

    private static int await(Process process, Runnable tick) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(MAX_MINUTES);
        try {
            while (!process.waitFor(200, TimeUnit.MILLISECONDS)) {
                tick.run();
                if (System.nanoTime() > deadline) {
                    throw new CommandException(
                            "npm did not finish within %d minutes.".formatted(MAX_MINUTES));
                }
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "Interrupted.");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private Path log() {
        return directory.resolve("npm.log");
    }

    /** Returns the end of npm's output. */
    private String output() throws IOException {
        var text = Files.exists(log()) ? Files.readString(log()).strip() : "";
        return Printable.text(text.substring(Math.max(0, text.length() - MAX_SHOWN)));
    }
}
