package dev.ash.bench.turn;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** A model API on loopback that answers every request immediately with the same message. */
public final class ModelApi implements AutoCloseable {
    private final HttpServer server;

    public ModelApi() throws IOException {
        // Without it, the last small segment of a response waits for an acknowledgment.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", ModelApi::answer);
        server.start();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        var request = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        var path = exchange.getRequestURI().getPath();
        boolean isStream = ModelAnswers.isStream(path, request);
        var body = ModelAnswers.of(path, isStream);
        var bytes = exchange.getRequestMethod().equals("HEAD") ? new byte[0] : body.getBytes(UTF_8);
        exchange.getResponseHeaders()
                .set("Content-Type", isStream ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
        try (var out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
