package dev.ash.cli.server;

import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.AshException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Records the AOT cache of the server: starts one with its own temporary data directory, on
 * loopback and with the demo engine, uses it as its first clients would, and stops it. The launcher
 * runs this in the background.
 */
public final class ServerTraining {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration EXIT_TIMEOUT = Duration.ofMinutes(5);
    private static final int SESSIONS = 3;
    private static final int TURNS = 30;

    /** Variables that a server needs; any other could change it, or contain a credential. */
    private static final List<String> INHERITED = List.of("PATH", "LANG", "LC_ALL", "TMPDIR");

    private final Host host;
    private final Path directory;
    private final DataDirectory data;

    private ServerTraining(Host host, Path directory) {
        this.host = host;
        this.directory = directory;
        this.data = new DataDirectory(directory.resolve("data"));
    }

    /** Writes the cache to {@code output} and returns the exit code of the command. */
    public static int run(Host host, Path output) {
        try {
            var directory = Files.createTempDirectory("ash-training");
            try {
                // Sandboxes have other users and traverse this directory.
                Files.setPosixFilePermissions(
                        directory, PosixFilePermissions.fromString("rwx--x--x"));
                new ServerTraining(host, directory).record(output);
            } finally {
                delete(directory);
            }
            return Files.exists(output) ? ExitCode.OK : ExitCode.FAILED;
        } catch (IOException e) {
            return ExitCode.FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }

    /**
     * Records the second start of the data directory: the first one migrates the database and
     * creates a certificate, with many classes that later starts do not need.
     */
    private void record(Path output) throws IOException, InterruptedException {
        data.create();
        var agent = Files.createDirectory(directory.resolve("agent"));
        Files.writeString(agent.resolve("CLAUDE.md"), "Training");
        run(List.of(), client -> client.agents().deploy("training", agent));
        run(ServerCache.recordingFlags(output), ServerTraining::use);
    }

    private void run(List<String> flags, Consumer<AshClient> use)
            throws IOException, InterruptedException {
        var server = new ServerLauncher(isolatedHost(), data, settings()).startInBackground(flags);
        var end = Thread.ofPlatform().unstarted(server::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(end);
        try {
            var client = connect(server);
            GatewayWait.awaitStarted(client);
            use.accept(client);
        } catch (AshException e) {
            // For example, sandboxes cannot start here: record what was used until now.
        } finally {
            server.destroy();
            if (!server.waitFor(EXIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                server.destroyForcibly().waitFor();
            }
            Runtime.getRuntime().removeShutdownHook(end);
        }
    }

    private Host isolatedHost() {
        var env = new HashMap<>(host.env());
        env.keySet().retainAll(INHERITED);
        env.put("HOME", directory.toString());
        return new Host(
                env,
                directory,
                directory,
                host.dist(),
                host.in(),
                host.out(),
                host.err(),
                host.terminals());
    }

    private static Map<String, String> settings() {
        return Map.of("ASH_PORT", "0", "ASH_GATEWAY_PORT", "0", "ASH_ENGINE", "demo");
    }

    private AshClient connect(Process process) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (process.isAlive() && System.nanoTime() < deadline) {
            var server = RunningServer.find(data);
            var key = data.initialApiKey();
            if (server.isPresent() && key.isPresent()) {
                return new AshClient(server.get().url(), key.get());
            }
            Thread.sleep(20);
        }
        throw new IOException("the server did not start");
    }

    private static void use(AshClient client) {
        client.agents().list();
        for (int i = 0; i < SESSIONS; i++) {
            use(client, client.sessions().create("training").id());
        }
    }

    private static void use(AshClient client, String session) {
        for (int i = 0; i < TURNS; i++) {
            send(client, session, "hello");
        }
        send(client, session, "demo: run echo hello");
        client.sessions().get(session);
        client.sessions().pause(session);
        client.sessions().resume(session);
        client.sessions().stop(session);
        client.sessions().resume(session);
        send(client, session, "hello");
        client.health();
        client.sessions().end(session);
    }

    private static void send(AshClient client, String session, String prompt) {
        try (var events = client.sessions().send(session, prompt)) {
            events.forEach(_ -> {});
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
