package dev.ash.server.egress;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** Calls of one sandbox to the tools that the server itself has for it. */
final class ToolCalls {
    private static final int MAX_BODY_BYTES = 12 * 1024 * 1024;

    private final Supplier<Optional<LocalTools>> tools;

    ToolCalls(Supplier<Optional<LocalTools>> tools) {
        this.tools = tools;
    }

    /** Whether the client's connection can be used again. */
    boolean serve(Wire client, RequestHead request, Framing body) throws IOException, Refusal {
        var offered =
                tools.get()
                        .orElseThrow(
                                () ->
                                        new Refusal(
                                                404,
                                                "Ash: there are no tools for this sandbox: its pair"
                                                        + " does not run"));
        if (!request.method().equals("POST")) {
            throw new Refusal(405, "Ash: these tools are called by POST, and stream nothing");
        }
        var content = body.open(client.input()).readNBytes(MAX_BODY_BYTES + 1);
        if (content.length > MAX_BODY_BYTES) {
            throw new Refusal(413, "Ash: a call of a tool has at most 12 MiB");
        }
        var session = request.headers().values("mcp-session-id").stream().findFirst();
        var answer = offered.post(session, content);
        try {
            write(client, answer, request.keepsAlive());
        } catch (IOException e) {
            answer.undelivered().run();
            throw e;
        }
        return request.keepsAlive();
    }

    private static void write(Wire client, LocalTools.Answer answer, boolean again)
            throws IOException {
        var body = answer.body().orElse(new byte[0]);
        var head =
                "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nMcp-Session-Id: %s\r\n%s\r\n"
                        .formatted(
                                answer.status(),
                                answer.status() == 200 ? "OK" : "Accepted",
                                body.length,
                                answer.session(),
                                again ? "" : "Connection: close\r\n");
        client.output().write(HttpInput.bytes(head));
        client.output().write(body);
    }
}
