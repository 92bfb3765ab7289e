package dev.ash.cli.server;

import dev.ash.cli.command.DataDirectory;
import dev.ash.protocol.json.JsonObject;
import dev.ash.sdk.AshClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A local server process, found by the pid file in its data directory. */
public record RunningServer(
        long pid, int port, String listensOn, String tls, Optional<String> fingerprint) {
    static final String MAIN_CLASS = "dev.ash.server.ServerMain";

    /** Returns the server if the process is alive and a server, since pids are reused. */
    public static Optional<RunningServer> find(DataDirectory data) {
        try {
            var file = JsonObject.parse(Files.readString(data.pidFile()));
            var server =
                    new RunningServer(
                            file.number("pid").orElse(0),
                            file.integer("port").orElse(0),
                            file.string("host").orElse("127.0.0.1"),
                            file.string("tls").orElse("off"),
                            file.string("fingerprint"));
            return Optional.of(server).filter(RunningServer::isAlive);
        } catch (IOException e) {
            return Optional.empty(); // no file, or it is being written
        }
    }

    boolean isAlive() {
        return pid > 0 && commandLine(pid).contains(MAIN_CLASS);
    }

    /** Returns the URL for local clients. */
    String url() {
        var host =
                switch (listensOn) {
                    case "0.0.0.0", "::", "127.0.0.1", "::1", "localhost" -> "localhost";
                    default -> bracketed(listensOn);
                };
        return "%s://%s:%d".formatted(fingerprint.isPresent() ? "https" : "http", host, port);
    }

    /** Returns a client that accepts only this server's certificate. */
    AshClient client(Duration connectTimeout, Duration responseTimeout) {
        var client = new AshClient(url(), null, connectTimeout, responseTimeout);
        return fingerprint.isPresent() ? client.pinnedTo(fingerprint.get()) : client;
    }

    private static String bracketed(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    /** Returns empty for a process that has exited, including zombies. */
    private static String commandLine(long pid) {
        try {
            var raw = Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline"));
            return new String(raw, StandardCharsets.UTF_8).replace('\0', ' ');
        } catch (IOException e) {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .flatMap(process -> process.info().commandLine())
                    .orElse("");
        }
    }
}
