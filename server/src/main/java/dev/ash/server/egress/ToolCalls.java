package dev.ash.server.egress;

import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ProxyExchange;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** Serves the calls of one sandbox to tools of the server. */
final class ToolCalls {
    private static final int MAX_BODY_BYTES = 12 * 1024 * 1024;

    private final Supplier<Optional<LocalTools>> tools;

    ToolCalls(Supplier<Optional<LocalTools>> tools) {
        this.tools = tools;
    }

    /** Returns whether the client's connection can be reused. */
    boolean serve(ProxyExchange exchange) throws IOException, ProxyException {
        var request = exchange.request();
        var available =
                tools.get()
                        .orElseThrow(
                                () ->
                                        new ProxyException(
                                                404,
                                                "Ash: no tools are available to this sandbox:"
                                                        + " its pair is not running"));
        if (!request.method().equals("POST")) {
            throw new ProxyException(
                    405, "Ash: these tools accept POST only and do not support streaming");
        }
        var content = exchange.readBody(MAX_BODY_BYTES + 1);
        if (content.length > MAX_BODY_BYTES) {
            throw new ProxyException(413, "Ash: a tool call must not exceed 12 MiB");
        }
        var session = request.headers().values("mcp-session-id").stream().findFirst();
        var response = available.post(session, content);
        try {
            write(exchange, response);
        } catch (IOException e) {
            response.onUndelivered().run();
            throw e;
        }
        return request.keepsAlive();
    }

    private static void write(ProxyExchange exchange, LocalTools.Response response)
            throws IOException {
        var body = response.body().orElse(new byte[0]);
        var head =
                "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nMcp-Session-Id: %s\r\n%s\r\n"
                        .formatted(
                                response.status(),
                                response.status() == 200 ? "OK" : "Accepted",
                                body.length,
                                response.session(),
                                exchange.request().keepsAlive() ? "" : "Connection: close\r\n");
        exchange.respond(head, body);
    }
}
