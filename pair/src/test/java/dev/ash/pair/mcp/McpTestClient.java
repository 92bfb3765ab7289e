package dev.ash.pair.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** MCP client of one connection for tests. */
record McpTestClient(McpConnection connection, AtomicInteger ids) {
    /** The result of a tool call. */
    record Result(String text, boolean isError, JsonObject structured) {
        List<Long> seqs() throws MalformedJsonException {
            return JsonObject.elements(structured.raw("messages").orElseThrow()).stream()
                    .map(Result::seq)
                    .toList();
        }

        private static long seq(RawJson message) {
            try {
                return JsonObject.parse(message).number("seq").orElseThrow();
            } catch (MalformedJsonException e) {
                throw new AssertionError(e);
            }
        }
    }

    static McpTestClient of(Mailbox mailbox, String peer, Role role, LoopContext loop)
            throws IOException {
        var peers = List.of(new PeerName("claude"), new PeerName("codex"));
        return of(
                new PairTools(mailbox, ToolUser.of(new PeerName(peer), peers, role), loop)
                        .connect());
    }

    static McpTestClient of(Mailbox mailbox, String peer) throws IOException {
        return of(mailbox, peer, Role.PEER, LoopContext.NONE);
    }

    static McpTestClient of(McpConnection connection) {
        return new McpTestClient(connection, new AtomicInteger());
    }

    JsonObject ask(String json) throws MalformedJsonException {
        var response = connection.handle(json.getBytes(StandardCharsets.UTF_8)).orElseThrow();
        return JsonObject.parse(new RawJson(response));
    }

    String request(String tool, String arguments) {
        return JsonWriter.object()
                .put("jsonrpc", "2.0")
                .put("id", ids.incrementAndGet())
                .put("method", "tools/call")
                .name("params")
                .open('{')
                .put("name", tool)
                .put("arguments", RawJson.of(arguments))
                .close('}')
                .end()
                .toString();
    }

    Result call(String tool, String arguments) throws MalformedJsonException {
        return result(ask(request(tool, arguments)));
    }

    static Result result(JsonObject response) throws MalformedJsonException {
        var result =
                response.object("result").orElseThrow(() -> new AssertionError(response.names()));
        var first = JsonObject.elements(result.raw("content").orElseThrow()).getFirst();
        return new Result(
                JsonObject.parse(first).requireString("text"),
                result.isTrue("isError"),
                JsonObject.parse(result.raw("structuredContent").orElse(RawJson.EMPTY_OBJECT)));
    }

    void send(String to, String text) throws MalformedJsonException {
        var sent =
                call(
                        "send_to_agent",
                        "{\"to\":\"%s\",\"message_type\":\"chat\",\"content\":%s}"
                                .formatted(to, RawJson.string(text)));
        assertThat(sent.text()).startsWith("Message sent: id=");
    }

    Result receive() throws MalformedJsonException {
        return call("receive_messages", "{}");
    }

    int errorCode(String json) throws MalformedJsonException {
        return ask(json).object("error").orElseThrow().integer("code").orElseThrow();
    }
}
