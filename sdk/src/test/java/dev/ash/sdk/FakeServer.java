package dev.ash.sdk;

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
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An HTTP server on a real socket that sends scripted bytes, for every request or by route ({@code
 * METHOD path}). The connection is closed when the script returns. Used by the tests of all
 * clients.
 */
public final class FakeServer implements AutoCloseable {
    public static final String STREAM =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

    /** Writes the response to a request. */
    public interface Script {
        void respond(Request request, OutputStream out) throws IOException;
    }

    /** A received request. */
    public record Request(String line, List<String> headers, String body) {
        String target() {
            return line.replace(" HTTP/1.1", "");
        }

        /** {@code METHOD path}. */
        String route() {
            return target().replaceFirst("\\?.*", "");
        }

        public Optional<String> header(String name) {
            return headers.stream()
                    .filter(header -> header.startsWith(name + ": "))
                    .map(header -> header.substring(name.length() + 2))
                    .findFirst();
        }
    }

    private final ServerSocket listener;
    private final Map<String, Script> routes = new ConcurrentHashMap<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final Thread acceptor;
    private volatile boolean closed;
    private final Script defaultScript;

    public FakeServer() throws IOException {
        this(FakeServer::respondNotFound);
    }

    public FakeServer(Script script) throws IOException {
        this(0, script);
    }

    /** Listens on the port of an earlier server, whose clients may connect immediately. */
    public FakeServer(int port, Script script) throws IOException {
        this(new ServerSocket(port, 50, InetAddress.getLoopbackAddress()), script);
    }

    /** Uses this listener, for example one with TLS. */
    public FakeServer(ServerSocket listener) {
        this(listener, FakeServer::respondNotFound);
    }

    private FakeServer(ServerSocket listener, Script script) {
        this.listener = listener;
        this.defaultScript = script;
        this.acceptor = Thread.ofPlatform().daemon().start(this::accept);
    }

    public static FakeServer sending(String response) throws IOException {
        return new FakeServer((_, out) -> write(out, response));
    }

    public static FakeServer responding(int status, String body) throws IOException {
        return sending(
                "HTTP/1.1 %d Word\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(status, body.getBytes(StandardCharsets.UTF_8).length, body));
    }

    public FakeServer on(String route, Script script) {
        routes.put(route, script);
        return this;
    }

    public FakeServer on(String route, String body) {
        return on(route, 200, body);
    }

    public FakeServer on(String route, int status, String body) {
        return on(route, (_, out) -> write(out, json(status, body)));
    }

    /** Streams frames of the form {@code event: x\ndata: …}. */
    public FakeServer streams(String route, String... frames) {
        return on(route, (_, out) -> stream(out, frames));
    }

    public static void stream(OutputStream out, String... frames) throws IOException {
        write(out, STREAM);
        for (var frame : frames) {
            write(out, frame + "\n\n");
        }
    }

    public static String json(int status, String body) {
        return "HTTP/1.1 %d Word\r\nContent-Type: application/json\r\n\r\n%s"
                .formatted(status, body);
    }

    public static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    public int port() {
        return listener.getLocalPort();
    }

    public String url() {
        return "http://localhost:" + port();
    }

    AshClient client() {
        return new AshClient(url(), "ash_key");
    }

    public List<Request> requests() {
        return requests;
    }

    /** Returns the received requests as {@code METHOD target body}. */
    public List<String> lines() {
        return requests.stream()
                .map(request -> (request.target() + " " + request.body()).strip())
                .toList();
    }

    private void accept() {
        while (true) {
            try {
                var socket = listener.accept();
                connections.add(socket);
                if (closed) {
                    return;
                }
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var request = read(new BufferedInputStream(socket.getInputStream()));
            requests.add(request);
            routes.getOrDefault(request.route(), defaultScript)
                    .respond(request, socket.getOutputStream());
        } catch (IOException e) {
            // the client has gone
        } finally {
            connections.remove(socket);
        }
    }

    private static Request read(BufferedInputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.UTF_8).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no request");
            }
            head.write(next);
        }
        var lines = head.toString(StandardCharsets.UTF_8).strip().split("\r\n");
        var request = new Request(lines[0], List.of(lines).subList(1, lines.length), "");
        int length = request.header("Content-Length").map(Integer::parseInt).orElse(0);
        var body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        return new Request(request.line(), request.headers(), body);
    }

    private static void respondNotFound(Request request, OutputStream out) throws IOException {
        write(out, json(404, "{\"error\":\"no route " + request.route() + "\"}"));
    }

    /**
     * Frees the port and drops all connections, like a killed process. The kernel accepts
     * connections until the acceptor has returned from its system call.
     */
    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (var connection : connections) {
            connection.close();
        }
    }
}
