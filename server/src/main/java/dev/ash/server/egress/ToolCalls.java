package dev.ash.server.egress;

import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ProxyExchange;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** Serves the calls of one sandbox to tools of the server itself. */
final class ToolCalls {
    private static final int MAX_BODY_BYTES = 12 * 1024 * 1024;

    private final Supplier<Optional<LocalTools>> tools;

    ToolCalls(Supplier<Optional<LocalTools>> tools) {
        this.tools = tools;
    }

    /** Returns whether the client's connection can be reused. */
    boolean serve(ProxyExchange exchange) throws IOException, ProxyException {
        var request = exchange.request();
        var offered =
                tools.get()
                        .orElseThrow(
                                () ->
                                        new ProxyException(
                                                404,
                                                "Ash: there are no tools for this sandbox: its pair"
                                                        + " does not run"));
        if (!request.method().equals("POST")) {
            throw new ProxyException(
                    405, "Ash: these tools are called by POST, and stream nothing");
        }
        var content = exchange.readBody(MAX_BODY_BYTES + 1);
        if (content.length > MAX_BODY_BYTES) {
            throw new ProxyException(413, "Ash: a call of a tool has at most 12 MiB");
        }
        var session = request.headers().values("mcp-session-id").stream().findFirst();
        var answer = offered.post(session, content);
        try {
            write(exchange, answer);
        } catch (IOException e) {
            answer.undelivered().run();
            throw e;
        }
        return request.keepsAlive();
    }

    private static void write(ProxyExchange exchange, LocalTools.Answer answer) throws IOException {
        var body = answer.body().orElse(new byte[0]);
        var head =
                "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nMcp-Session-Id: %s\r\n%s\r\n"
                        .formatted(
                                answer.status(),
                                answer.status() == 200 ? "OK" : "Accepted",
                                body.length,
                                answer.session(),
                                exchange.request().keepsAlive() ? "" : "Connection: close\r\n");
        exchange.respond(head, body);
    }
}
