package dev.ash.cli.server;

import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

/** Brings the server up and waits until it answers, or tells why it does not. */
final class ServerStart {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(40);
    private static final String SETTING_WARNING = " WARNING ash.settings: ";

    private final Host host;
    private final DataDirectory data;
    private final Map<String, String> settings;

    ServerStart(Host host, DataDirectory data, Map<String, String> settings) {
        this.host = host;
        this.data = data;
        this.settings = settings;
    }

    /** The started server, answering. */
    RunningServer inBackground() {
        data.create();
        try {
            long logBefore = Files.exists(data.log()) ? Files.size(data.log()) : 0;
            var process = new ServerLauncher(host, data, settings).inBackground();
            var server = await(process, logBefore);
            showSettingWarnings(logBefore);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("The server's process cannot be started", e);
        }
    }

    /** Runs the server as a child until it ends; a signal to this process ends it too. */
    int inForeground() {
        data.create();
        try {
            var process = new ServerLauncher(host, data, settings).inForeground();
            endWithThis(process.toHandle());
            Thread.ofVirtual().start(() -> rememberWhenUp(process));
            return process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("The server's process cannot be started", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }

    /**
     * Stays with a server that runs already, as if this process had started it: a command that was
     * killed leaves its server behind, and the next one goes on in its place.
     */
    int inForeground(RunningServer server) {
        remember(server);
        var process = ProcessHandle.of(server.pid());
        if (process.isPresent() && server.isAlive()) {
            endWithThis(process.get());
            process.get().onExit().join();
        }
        return ExitCode.OK; // how it ended is known to its parent alone
    }

    /** So that the next commands find this server. */
    void remember(RunningServer server) {
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
                            "ash: %s cannot be written, so set ASH_SERVER_URL=%s%s yourself."
                                    .formatted(
                                            config.file(),
                                            server.url(),
                                            server.fingerprint()
                                                    .map(" ASH_SERVER_FINGERPRINT="::concat)
                                                    .orElse("")));
        }
    }

    private RunningServer await(Process process, long logBefore) {
        var deadline = System.nanoTime() + PATIENCE.toNanos();
        try (var progress = new Progress(host, "Starting the server")) {
            while (System.nanoTime() < deadline) {
                var server = RunningServer.find(data).filter(found -> found.pid() == process.pid());
                if (server.isPresent() && answers(server.get())) {
                    return server.get();
                }
                if (!process.isAlive()) {
                    throw new Failure(lastWords(process.exitValue(), logBefore));
                }
                progress.tick();
                pause();
            }
        }
        process.destroy();
        throw new Failure(
                "The server did not answer within %d s and was ended. Its log: %s"
                        .formatted(PATIENCE.toSeconds(), data.log()));
    }

    /**
     * A server in the background writes to its log, where nobody looks for a misspelled setting.
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

    private void rememberWhenUp(Process process) {
        while (process.isAlive()) {
            var server = RunningServer.find(data).filter(found -> found.pid() == process.pid());
            if (server.isPresent() && answers(server.get())) {
                remember(server.get());
                return;
            }
            pause();
        }
    }

    private static boolean answers(RunningServer server) {
        try {
            server.client(Duration.ofSeconds(1), Duration.ofSeconds(5)).health();
            return true;
        } catch (AshException e) {
            return false;
        }
    }

    /** The server says in one line why it cannot start; failing that, the end of what it said. */
    private String lastWords(int exitCode, long logBefore) {
        var lines =
                linesAfter(data.log(), logBefore).stream()
                        .filter(line -> !TimingLine.matches(line))
                        .toList();
        var told = lines.reversed().stream().filter(line -> line.startsWith("ash: ")).findFirst();
        if (told.isPresent()) {
            return told.get().substring(5);
        }
        var tail = lines.subList(Math.max(0, lines.size() - 10), lines.size());
        return "The server ended at once with exit code %d. Its log %s ends with:\n%s"
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

    private static void endWithThis(ProcessHandle server) {
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
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(ExitCode.INTERRUPTED, "interrupted");
        }
    }
}
