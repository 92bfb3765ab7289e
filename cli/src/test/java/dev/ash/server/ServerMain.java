package dev.ash.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Fake of the server process with the same class name, environment, pid file and signal handling;
 * it responds to every request with its health. Uses only the JDK, so that it runs from a single
 * class.
 */
public final class ServerMain {
    private ServerMain() {}

    public static void main(String[] args) throws IOException {
        var failure = System.getenv("FAKE_FAILURE");
        if (failure != null) {
            System.err.println("a line of log");
            System.err.println(failure);
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
            respond(listener);
        }
    }

    private static void respond(ServerSocket listener) throws IOException {
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
