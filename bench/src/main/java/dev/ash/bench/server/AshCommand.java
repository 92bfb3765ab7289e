package dev.ash.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The {@code ash} script of the clone, with its own home, data and cache directories. */
public final class AshCommand implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("\"port\":\\s*(\\d+)");
    private static final Pattern PID = Pattern.compile("\"pid\":\\s*(\\d+)");
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration TRAINING_TIMEOUT = Duration.ofMinutes(5);

    private final Path script;
    private final Path directory;
    private final Path data;
    private final Map<String, String> environment;

    public AshCommand(Installation installation, WorkDirectory work) throws IOException {
        this.script = installation.root().resolve("ash");
        if (!Files.isExecutable(script)) {
            throw new IOException(script + " does not exist; run ./ash bench in a clone");
        }
        this.directory = work.directory("c");
        this.data = directory.resolve("data");
        this.environment = new HashMap<>(ServerSettings.baseEnvironment(work));
        environment.put("ASH_GATEWAY_PORT", "0");
        environment.put("ASH_DATA_DIR", data.toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
    }

    /** A start of the server: when it was healthy, and when the command returned. */
    public record Started(double healthyMillis, double returnedMillis) {}

    public Started start() throws IOException, InterruptedException {
        Files.deleteIfExists(pidFile());
        long begin = System.nanoTime();
        var process = launch(List.of("start", "--port", "0"));
        Await.until("a healthy server", TIMEOUT, () -> isHealthy() || hasFailed(process));
        long healthy = System.nanoTime();
        awaitSuccess(process);
        return new Started((healthy - begin) / 1e6, (System.nanoTime() - begin) / 1e6);
    }

    private static boolean hasFailed(Process process) {
        return !process.isAlive() && process.exitValue() != 0;
    }

    private boolean isHealthy() throws IOException {
        var file = pidFile();
        var found = PORT.matcher(Files.exists(file) ? Files.readString(file) : "");
        if (!found.find()) {
            return false;
        }
        try (var connection = ApiConnection.open(Integer.parseInt(found.group(1)), "")) {
            return connection.call("GET", "/health", "").contains("\"status\":\"ok\"");
        } catch (IOException e) {
            return false;
        }
    }

    public void stop() throws IOException, InterruptedException {
        run("stop");
    }

    /** Runs a command and returns its duration in milliseconds. */
    public double run(String... arguments) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        awaitSuccess(launch(List.of(arguments)));
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Starts a server once, and waits for the AOT caches that this trains in the background. */
    public static void trainCaches(Installation installation, WorkDirectory work)
            throws IOException, InterruptedException {
        if (System.getenv(ServerSettings.NO_AOT) != null || isTrained(work, "server.aot")) {
            return;
        }
        try (var command = new AshCommand(installation, work)) {
            command.start();
            Await.until(
                    "the AOT caches of ./ash",
                    TRAINING_TIMEOUT,
                    () -> isTrained(work, "cli.aot") && isTrained(work, "server.aot"));
            command.stop();
        }
    }

    /** Waits until no training runs: it would slow down the next measurement. */
    public void awaitBackgroundWork() throws IOException, InterruptedException {
        Await.until("the end of training runs", TIMEOUT, () -> !isTraining());
    }

    private static boolean isTrained(WorkDirectory work, String name) throws IOException {
        if (!Files.exists(work.cache())) {
            return false;
        }
        try (var files = Files.walk(work.cache())) {
            return files.anyMatch(file -> file.endsWith(name));
        }
    }

    private static boolean isTraining() {
        return ProcessHandle.allProcesses()
                .flatMap(process -> process.info().commandLine().stream())
                .anyMatch(line -> line.contains("-XX:AOTCacheOutput=/tmp/ash-bench-"));
    }

    private Process launch(List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(script.toString());
        command.addAll(arguments);
        var builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("output").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    private void awaitSuccess(Process process) throws IOException, InterruptedException {
        if (process.waitFor() != 0) {
            throw new IOException(
                    script + " failed: " + Files.readString(directory.resolve("output")));
        }
    }

    private Path pidFile() {
        return data.resolve("server.pid");
    }

    @Override
    public void close() throws IOException {
        var file = pidFile();
        var found = PID.matcher(Files.exists(file) ? Files.readString(file) : "");
        if (found.find()) {
            ProcessHandle.of(Long.parseLong(found.group(1)))
                    .ifPresent(
                            server -> {
                                server.destroy();
                                server.onExit().join();
                            });
        }
        WorkDirectory.delete(directory);
    }
}
