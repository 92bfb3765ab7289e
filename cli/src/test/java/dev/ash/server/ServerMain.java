package dev.ash.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Stands in for the real server's process: the same name, environment, pid file and manners, and
 * answers to everything with its health. Uses nothing but the JDK, so that its class alone is a
 * program.
 */
public final class ServerMain {
    private ServerMain() {}

    public static void main(String[] args) throws IOException {
        var refusal = System.getenv("FAKE_REFUSAL");
        if (refusal != null) {
            System.err.println("a line of log");
            System.err.println(refusal);
            System.exit(1);
        }
        var data = Path.of(System.getenv("ASH_DATA_DIR"));
        var listener =
                new ServerSocket(
                        Integer.parseInt(System.getenv("ASH_PORT")),
                        50,
                        InetAddress.getLoopbackAddress());
        var pidFile = data.resolve("server.pid");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(pidFile)));
        Files.writeString(data.resolve("initial-api-key"), "ash_first\n");
        Files.writeString(
                pidFile,
                "{\"pid\":%d,\"port\":%d,\"host\":\"127.0.0.1\",\"version\":\"9\"}"
                        .formatted(ProcessHandle.current().pid(), listener.getLocalPort()));
        System.out.println("listening, LC_ALL is " + System.getenv("LC_ALL"));
        while (true) {
            answer(listener);
        }
    }

    private static void answer(ServerSocket listener) throws IOException {
        try (var socket = listener.accept()) {
            var in = socket.getInputStream();
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) in.read());
            }
            socket.getOutputStream()
                    .write(
                            ("HTTP/1.1 200 OK\r\n\r\n{\"status\":\"ok\",\"version\":\"9\",\"agents\":[],"
                                            + "\"engine\":\"demo\",\"isolation\":{\"kind\":\"bubblewrap\",\"network\":\"host\"}}")
                                    .getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
