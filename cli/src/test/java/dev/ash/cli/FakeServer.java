package dev.ash.cli;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on a real socket with one prepared answer a route; {@code METHOD path} is the route. */
final class FakeServer implements AutoCloseable {
    interface Script {
        void answer(OutputStream out) throws IOException;
    }

    private final ServerSocket listener;
    private final Map<String, Script> routes = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    FakeServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    FakeServer on(String route, int status, String body) {
        return on(
                route,
                out ->
                        write(
                                out,
                                "HTTP/1.1 %d Word\r\nContent-Type: application/json\r\n\r\n%s"
                                        .formatted(status, body)));
    }

    FakeServer on(String route, String body) {
        return on(route, 200, body);
    }

    /** Frames as {@code event: x\ndata: …}, one an argument. */
    FakeServer streams(String route, String... frames) {
        return on(
                route,
                out -> {
                    write(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
                    for (var frame : frames) {
                        write(out, frame + "\n\n");
                    }
                });
    }

    FakeServer on(String route, Script script) {
        routes.put(route, script);
        return this;
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    String url() {
        return "http://localhost:" + listener.getLocalPort();
    }

    /** What came, as {@code METHOD target body}. */
    List<String> requests() {
        return requests;
    }

    private void accept() {
        while (true) {
            try {
                var socket = listener.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new BufferedInputStream(socket.getInputStream());
            var head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.UTF_8).endsWith("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    return;
                }
                head.write(next);
            }
            var lines = head.toString(StandardCharsets.UTF_8).strip().split("\r\n");
            int length = 0;
            for (var line : lines) {
                if (line.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(line.substring(16));
                }
            }
            var target = lines[0].replace(" HTTP/1.1", "");
            var body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
            requests.add((target + " " + body).strip());
            var path = target.contains("?") ? target.substring(0, target.indexOf('?')) : target;
            var missing = "HTTP/1.1 404 X\r\n\r\n{\"error\":\"no route " + path + "\"}";
            routes.getOrDefault(path, out -> write(out, missing)).answer(socket.getOutputStream());
        } catch (IOException e) {
            // the client has gone
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
