package dev.ash.e2e;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Launches the server as {@code ./ash} does: a JVM on the jars of a directory, with a clean
 * environment.
 */
record ServerLaunch(Process process, TestDirectory directory, Path data) {
    static ServerLaunch of(Map<String, String> environment, TestDirectory directory) {
        return of(environment, directory, List.of());
    }

    static ServerLaunch of(
            Map<String, String> environment, TestDirectory directory, List<String> flags) {
        return of(environment, directory, flags, List.of());
    }

    /** {@code launcher} is a program, with its arguments, that executes the server. */
    static ServerLaunch of(
            Map<String, String> environment,
            TestDirectory directory,
            List<String> flags,
            List<String> launcher) {
        var data = Path.of(environment.getOrDefault("ASH_DATA_DIR", directory.data().toString()));
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var command = new ArrayList<String>(launcher);
        command.add(java.toString());
        command.addAll(flags);
        command.addAll(
                List.of(
                        "-Xmx%sm".formatted(environment.getOrDefault("ASH_HEAP_MB", "512")),
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:-ClassUnloadingWithConcurrentMark",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dash.dist=" + dist(),
                        "-cp",
                        jars(dist().resolve("server")),
                        "dev.ash.server.ServerMain"));
        var builder = new ProcessBuilder(command);
        var env = builder.environment();
        env.keySet().retainAll(Set.of("PATH", "LANG", "TERM"));
        env.put("HOME", directory.path().toString());
        env.put("ASH_PORT", "0");
        env.put("ASH_DATA_DIR", data.toString());
        env.putAll(environment);
        try {
            return new ServerLaunch(
                    builder.redirectErrorStream(true)
                            .redirectOutput(
                                    ProcessBuilder.Redirect.appendTo(log(directory).toFile()))
                            .directory(directory.path().toFile())
                            .start(),
                    directory,
                    data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the command line that starts {@code ash}, in a JVM tuned for short runs. */
    static List<String> cli() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dash.dist=" + dist(),
                "-cp",
                jars(dist().resolve("cli")),
                "dev.ash.cli.Main");
    }

    static Path dist() {
        return Path.of(System.getProperty("ash.dist", "../dist")).toAbsolutePath().normalize();
    }

    static String jars(Path directory) {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted(Comparator.naturalOrder())
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the exit of a launch that is expected to fail; returns the exit code. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the server is still running:\n" + output());
        }
        return process.exitValue();
    }

    String output() {
        try {
            return Files.readString(log(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path log(TestDirectory directory) {
        return directory.path().resolve("server-output.log");
    }
}
