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

/** Starts the server as {@code ./ash} does: a JVM on the jars of a folder, a clean environment. */
record ServerLaunch(Process process, TestFolder folder, Path data) {
    static ServerLaunch of(Map<String, String> environment, TestFolder folder) {
        return of(environment, folder, List.of());
    }

    static ServerLaunch of(Map<String, String> environment, TestFolder folder, List<String> flags) {
        return of(environment, folder, flags, List.of());
    }

    /** {@code starter} is a program, with its arguments, that executes the server. */
    static ServerLaunch of(
            Map<String, String> environment,
            TestFolder folder,
            List<String> flags,
            List<String> starter) {
        var data = Path.of(environment.getOrDefault("ASH_DATA_DIR", folder.data().toString()));
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var words = new ArrayList<String>(starter);
        words.add(java.toString());
        words.addAll(flags);
        words.addAll(
                List.of(
                        "-Xmx%sm".formatted(environment.getOrDefault("ASH_HEAP_MB", "512")),
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:-ClassUnloadingWithConcurrentMark",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dash.dist=" + dist(),
                        "-cp",
                        jars(dist().resolve("server")),
                        "dev.ash.server.ServerMain"));
        var builder = new ProcessBuilder(words);
        var env = builder.environment();
        env.keySet().retainAll(Set.of("PATH", "LANG", "TERM"));
        env.put("HOME", folder.path().toString());
        env.put("ASH_PORT", "0");
        env.put("ASH_DATA_DIR", data.toString());
        env.putAll(environment);
        try {
            return new ServerLaunch(
                    builder.redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(folder).toFile()))
                            .directory(folder.path().toFile())
                            .start(),
                    folder,
                    data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The words that start {@code ash}, in a JVM that is soon over. */
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

    static String jars(Path folder) {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted(Comparator.naturalOrder())
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** For launches that are meant to fail. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the server is still running:\n" + output());
        }
        return process.exitValue();
    }

    String output() {
        try {
            return Files.readString(log(folder));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path log(TestFolder folder) {
        return folder.path().resolve("server-output.log");
    }
}
