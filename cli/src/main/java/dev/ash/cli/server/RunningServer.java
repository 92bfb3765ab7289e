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

/** A server process on this machine, known by the pid file that it keeps in its data directory. */
public record RunningServer(
        long pid, int port, String listensOn, String tls, Optional<String> fingerprint) {
    static final String MAIN_CLASS = "dev.ash.server.ServerMain";

    /** Only if that process lives and is a server: pids are used again. */
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
            return Optional.empty(); // no file, or one that is just being written
        }
    }

    boolean isAlive() {
        return pid > 0 && commandLine(pid).contains(MAIN_CLASS);
    }

    /** Where a client on this machine reaches it. */
    String url() {
        var host =
                switch (listensOn) {
                    case "0.0.0.0", "::", "127.0.0.1", "::1", "localhost" -> "localhost";
                    default -> inUrl(listensOn);
                };
        return "%s://%s:%d".formatted(fingerprint.isPresent() ? "https" : "http", host, port);
    }

    /** Accepts no other server than this one. */
    AshClient client(Duration connectTimeout, Duration answerTimeout) {
        var client = new AshClient(url(), null, connectTimeout, answerTimeout);
        return fingerprint.isPresent() ? client.pinnedTo(fingerprint.get()) : client;
    }

    private static String inUrl(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    /** Empty for a process that is gone, or dead and only waiting to be noticed by its parent. */
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
