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
    private static final String STREAM =
            """
            event: message_start
            data: {"type":"message_start","message":{"id":"msg_1","type":"message",\
            "role":"assistant","model":"claude-sonnet-4-5","content":[],"stop_reason":null,\
            "stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}

            event: content_block_start
            data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}

            event: content_block_stop
            data: {"type":"content_block_stop","index":0}

            event: message_delta
            data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},\
            "usage":{"output_tokens":5}}

            event: message_stop
            data: {"type":"message_stop"}

            """;
    private static final String MESSAGE =
            """
            {"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5",\
            "content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn","stop_sequence":null,\
            "usage":{"input_tokens":10,"output_tokens":5}}""";

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
        boolean isStream = request.replace(" ", "").contains("\"stream\":true");
        var path = exchange.getRequestURI().getPath();
        var body =
                path.endsWith("count_tokens")
                        ? "{\"input_tokens\":10}"
                        : isStream ? STREAM : MESSAGE;
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
