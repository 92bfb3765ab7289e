package dev.ash.cli.server;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.cli.terminal.Progress;
import dev.ash.protocol.TimingLine;
import dev.ash.sdk.AshException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts the server and waits until it responds, or reports the failure. */
final class ServerStart {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
    private static final String SETTING_WARNING = " WARNING ash.settings: ";

    private final Host host;
    private final DataDirectory data;
    private final Map<String, String> settings;

    ServerStart(Host host, DataDirectory data, Map<String, String> settings) {
        this.host = host;
        this.data = data;
        this.settings = settings;
    }

    /** Starts the server and returns it once it responds. */
    RunningServer startInBackground() {
        data.create();
        try {
            long logBefore = Files.exists(data.log()) ? Files.size(data.log()) : 0;
            var server = start(ServerCache.find(), logBefore);
            showSettingWarnings(logBefore);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start the server process", e);
        }
    }

    private RunningServer start(ServerCache cache, long logBefore) throws IOException {
        var launcher = new ServerLauncher(host, data, settings);
        var process = launcher.startInBackground(cache.flags());
        try {
            return await(process, logBefore);
        } catch (CommandException e) {
            if (process.isAlive() || !cache.discardAfter(process.exitValue())) {
                throw e;
            }
            return start(ServerCache.NONE, logBefore);
        }
    }

    /** Runs the server as a child process until it exits; forwards termination to it. */
    int runInForeground() {
        data.create();
        try {
            var cache = ServerCache.find();
            var launcher = new ServerLauncher(host, data, settings);
            var process = launcher.startInForeground(cache.flags());
            terminateOnShutdown(process.toHandle());
            Thread.ofVirtual().start(() -> saveWhenUp(process));
            int exitCode = process.waitFor();
            cache.discardAfter(exitCode); // a supervisor starts it again
            return exitCode;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start the server process", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }

    /**
     * Waits for an already running server as if this process had started it: the server may have
     * been left behind by a killed command.
     */
    int runInForeground(RunningServer server) {
        saveToConfig(server);
        var process = ProcessHandle.of(server.pid());
        if (process.isPresent() && server.isAlive()) {
            terminateOnShutdown(process.get());
            process.get().onExit().join();
        }
        return ExitCode.OK; // only its parent can read the exit code
    }

    /** Saves the server to the user's configuration, for other commands. */
    void saveToConfig(RunningServer server) {
        var values = new HashMap<String, String>();
        values.put("server_url", server.url());
        values.put("server_fingerprint", server.fingerprint().orElse(""));
        values.put("data_dir", data.path().toString());
        var key = settings.getOrDefault("ASH_API_KEY", host.variable("ASH_API_KEY", ""));
        if (key.isEmpty()) {
            data.initialApiKey().ifPresent(initial -> values.put("api_key", initial));
        } else {
            values.put("api_key", key);
        }
        var config = UserConfig.load(host);
        try {
            config.save(values);
        } catch (IOException e) {
            host.err()
                    .println(
                            "ash: cannot write %s; set ASH_SERVER_URL=%s%s instead."
                                    .formatted(
                                            config.file(),
                                            server.url(),
                                            server.fingerprint()
                                                    .map(" ASH_SERVER_FINGERPRINT="::concat)
                                                    .orElse("")));
        }
    }

    private RunningServer await(Process process, long logBefore) {
        var deadline = System.nanoTime() + TIMEOUT.toNanos();
        try (var progress = new Progress(host, "Starting the server")) {
            while (System.nanoTime() < deadline) {
                var server = RunningServer.find(data).filter(found -> found.pid() == process.pid());
                if (server.isPresent() && responds(server.get())) {
                    return server.get();
                }
                if (!process.isAlive()) {
                    throw new CommandException(startFailure(process.exitValue(), logBefore));
                }
                progress.tick();
                pause();
            }
        }
        process.destroy();
        throw new CommandException(
                "The server did not respond within %d s and was terminated. See its log: %s"
                        .formatted(TIMEOUT.toSeconds(), data.log()));
    }

    /**
     * Prints warnings about settings, such as misspelled names, which would go unnoticed in the
     * log.
     */
    private void showSettingWarnings(long logBefore) {
        linesAfter(data.log(), logBefore).stream()
                .filter(line -> line.contains(SETTING_WARNING))
                .map(
                        line ->
                                line.substring(
                                        line.indexOf(SETTING_WARNING) + SETTING_WARNING.length()))
                .forEach(warning -> host.err().println("ash: " + warning));
    }

    private void saveWhenUp(Process process) {
        while (process.isAlive()) {
            var server = RunningServer.find(data).filter(found -> found.pid() == process.pid());
            if (server.isPresent() && responds(server.get())) {
                saveToConfig(server.get());
                return;
            }
            pause();
        }
    }

    private static boolean responds(RunningServer server) {
        try {
            server.client(Duration.ofSeconds(1), Duration.ofSeconds(5)).health();
            return true;
        } catch (AshException e) {
            return false;
        }
    }

    /** Returns the server's error message, or the end of its log if it has none. */
    private String startFailure(int exitCode, long logBefore) {
        var lines =
                linesAfter(data.log(), logBefore).stream()
                        .filter(line -> !TimingLine.matches(line))
                        .toList();
        var message =
                lines.reversed().stream().filter(line -> line.startsWith("ash: ")).findFirst();
        if (message.isPresent()) {
            return message.get().substring(5);
        }
        var tail = lines.subList(Math.max(0, lines.size() - 10), lines.size());
        return "The server exited immediately with code %d. The end of its log %s:\n%s"
                .formatted(exitCode, data.log(), String.join("\n", tail));
    }

    static List<String> linesAfter(Path log, long offset) {
        try (var channel = Files.newByteChannel(log)) {
            channel.position(offset);
            var in = Channels.newInputStream(channel);
            var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static void terminateOnShutdown(ProcessHandle server) {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(
                                        () -> {
                                            server.destroy();
                                            server.onExit().join();
                                        }));
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_INTERVAL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted");
        }
    }
}
