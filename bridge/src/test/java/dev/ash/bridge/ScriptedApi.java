package dev.ash.bridge;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A minimal Messages API on loopback. The last prompt selects the response: {@code TOOL <name>
 * <input>} calls that tool (more calls follow after {@code AND}) and then reports its result,
 * {@code STREAM} streams until the client disconnects, anything else is echoed.
 */
final class ScriptedApi implements AutoCloseable {
    private final HttpServer server;
    private final List<RawClient.Event> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger ids = new AtomicInteger();

    private ScriptedApi(HttpServer server) {
        this.server = server;
    }

    static ScriptedApi start() throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var api = new ScriptedApi(HttpServer.create(address, 100));
        api.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        api.server.createContext("/", api::answer);
        api.server.start();
        return api;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns the bodies of all message requests. */
    List<RawClient.Event> requests() {
        return requests;
    }

    RawClient.Event lastRequest() {
        return requests.getLast();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (!exchange.getRequestURI().getPath().equals("/v1/messages")) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            var request = new RawClient.Event(body);
            requests.add(request);
            exchange.getResponseHeaders().set("content-type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            message(exchange.getResponseBody(), request);
        }
    }

    private void message(OutputStream out, RawClient.Event request) throws IOException {
        event(
                out,
                "message_start",
                "\"message\":{\"id\":\"msg_"
                        + ids.incrementAndGet()
                        + "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
                        + RawJson.string(request.text("model"))
                        + ",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
                        + "\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}");
        var last = Last.of(request);
        boolean tool = last.prompt().startsWith("TOOL ") && last.toolResult().isEmpty();
        if (tool) {
            int index = 0;
            for (var call : last.prompt().split(" AND ")) {
                toolUse(out, index++, call);
            }
        } else {
            text(out, last);
            event(out, "content_block_stop", "\"index\":0");
        }
        event(
                out,
                "message_delta",
                "\"delta\":{\"stop_reason\":\""
                        + (tool ? "tool_use" : "end_turn")
                        + "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":5}");
        event(out, "message_stop", "\"x\":0");
    }

    private void toolUse(OutputStream out, int index, String call) throws IOException {
        var parts = call.split(" ", 3);
        event(
                out,
                "content_block_start",
                "\"index\":"
                        + index
                        + ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_"
                        + ids.incrementAndGet()
                        + "\",\"name\":\""
                        + parts[1]
                        + "\",\"input\":{}}");
        event(
                out,
                "content_block_delta",
                "\"index\":"
                        + index
                        + ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
                        + RawJson.string(parts[2])
                        + "}");
        event(out, "content_block_stop", "\"index\":" + index);
    }

    private static void text(OutputStream out, Last last) throws IOException {
        event(
                out,
                "content_block_start",
                "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}");
        while (last.prompt().equals("STREAM")) {
            delta(out, textDelta("more "));
            pause();
        }
        delta(out, textDelta(last.toolResult().isEmpty() ? "You said: " : "The tool said: "));
        delta(out, textDelta(last.toolResult().isEmpty() ? last.prompt() : last.toolResult()));
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(20); // the rate of the stream; no test waits for it
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static String textDelta(String text) {
        return "\"type\":\"text_delta\",\"text\":" + RawJson.string(text);
    }

    private static void delta(OutputStream out, String fields) throws IOException {
        event(out, "content_block_delta", "\"index\":0,\"delta\":{" + fields + "}");
    }

    private static void event(OutputStream out, String type, String fields) throws IOException {
        var text = "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + fields + "}\n\n";
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** The last prompt, and the tool result after it. */
    private record Last(String prompt, String toolResult) {
        static Last of(RawClient.Event request) {
            var prompt = "";
            var toolResult = "";
            for (var message : request.elements("messages")) {
                if (!message.text("role").equals("user")) {
                    continue;
                }
                var blocks =
                        !message.text("content").isEmpty()
                                ? List.<RawClient.Event>of()
                                : message.elements("content");
                if (blocks.isEmpty()) {
                    prompt = message.text("content");
                    toolResult = "";
                }
                for (var block : blocks) {
                    if (block.text("type").equals("tool_result")) {
                        toolResult = block.line();
                    } else if (!block.text("text").startsWith("<system-reminder>")) {
                        prompt = block.text("text");
                        toolResult = "";
                    }
                }
            }
            return new Last(prompt, toolResult);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
