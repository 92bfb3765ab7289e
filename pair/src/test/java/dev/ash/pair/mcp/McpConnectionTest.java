package dev.ash.pair.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class McpConnectionTest {
    @TempDir Path directory;
    private Mailbox mailbox;
    private PairTools tools;
    private McpTestClient client;

    @BeforeEach
    void open() throws IOException {
        mailbox = Mailbox.open(directory, 1);
        var peers = List.of(new PeerName("claude"), new PeerName("codex"));
        tools =
                new PairTools(
                        mailbox,
                        ToolUser.of(new PeerName("claude"), peers, Role.REVIEWER),
                        LoopContext.NONE);
        client = McpTestClient.of(tools.connect());
    }

    @AfterEach
    void close() throws IOException {
        mailbox.close();
    }

    @ParameterizedTest
    @CsvSource({
        "2025-06-18, 2025-06-18",
        "2025-11-25, 2025-11-25",
        "2024-11-05, 2025-11-25",
        "2099-01-01, 2025-11-25"
    })
    void negotiatesTheProtocolVersion(String requested, String expected) throws IOException {
        var result =
                client.ask(
                                "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"}}"
                                        .formatted(requested))
                        .object("result")
                        .orElseThrow();

        assertThat(result.requireString("protocolVersion")).isEqualTo(expected);
        assertThat(result.requireString("instructions")).contains("'claude'", "codex");
    }

    @Test
    void listsToolsWithStrictSchemas() throws IOException {
        var result =
                client.ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}")
                        .object("result")
                        .orElseThrow();
        var names = new ArrayList<String>();
        for (var element : JsonObject.elements(result.raw("tools").orElseThrow())) {
            var tool = JsonObject.parse(element);
            names.add(tool.requireString("name"));
            assertThat(tool.object("inputSchema").orElseThrow().raw("additionalProperties"))
                    .contains(RawJson.of("false"));
            assertThat(tool.object("outputSchema")).isPresent();
            assertThat(tool.object("annotations")).isPresent();
        }
        assertThat(names)
                .containsExactly(
                        "bridge_status", "receive_messages", "send_to_agent", "submit_verdict");
    }

    @Test
    void rejectsInvalidRequestsWithErrorCodes() throws IOException {
        assertThat(client.errorCode("{")).isEqualTo(-32700);
        assertThat(client.errorCode("[]")).isEqualTo(-32700);
        assertThat(client.errorCode("[".repeat(100_000))).isEqualTo(-32700);
        assertThat(client.errorCode("{\"id\":1}")).isEqualTo(-32600);
        assertThat(client.errorCode("{\"id\":{},\"method\":\"ping\"}")).isEqualTo(-32600);
        assertThat(client.errorCode("{\"id\":1,\"method\":\"resources/list\"}")).isEqualTo(-32601);
        assertThat(client.errorCode("{\"id\":1,\"method\":\"tools/call\"}")).isEqualTo(-32602);
        assertThat(client.errorCode("{\"id\":1,\"method\":\"tools/call\",\"params\":5}"))
                .isEqualTo(-32600);
        assertThat(client.ask("{\"id\":1,\"method\":\"ping\"}").raw("result"))
                .contains(RawJson.EMPTY_OBJECT);
    }

    @Test
    void doesNotRespondToNotificationsAndResponses() {
        for (var message :
                List.of(
                        "{\"method\":\"notifications/initialized\"}",
                        "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}",
                        "{\"method\":\"notifications/cancelled\"}",
                        "{\"id\":1,\"result\":{}}")) {
            assertThat(client.connection().handle(message.getBytes(StandardCharsets.UTF_8)))
                    .isEmpty();
        }
    }

    @Test
    void respondsInOrderOverStdioAndEndsSilently() throws IOException {
        var in =
                String.join(
                        "\n",
                        client.request(
                                "send_to_agent",
                                "{\"to\":\"codex\",\"message_type\":\"chat\",\"content\":\"a\\nb\"}"),
                        "",
                        "not json",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                        client.request("bridge_status", "{}"),
                        client.request("receive_messages", "{\"wait_seconds\":60}"),
                        "{\"id\":9,\"method\":\"cut off");
        var out = new ByteArrayOutputStream();

        new StdioServer(
                        tools.connect(),
                        new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                        out)
                .run();

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(4)
                .satisfiesExactly(
                        line -> assertThat(line).contains("Message sent"),
                        line -> assertThat(line).contains("-32700"),
                        line -> assertThat(line).contains("Total Messages: 1"),
                        line -> assertThat(line).contains("No new messages"));
    }

    @Test
    void handlesOtherRequestsDuringAWaitOverStdio() throws Exception {
        var toServer = new PipedOutputStream();
        var in = new PipedInputStream(toServer, 64 * 1024);
        var out = new PipedOutputStream();
        var fromServer = new PipedInputStream(out, 64 * 1024);
        var server =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                new StdioServer(tools.connect(), in, out).run();
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        var responses = new LineInput(fromServer);

        write(toServer, client.request("receive_messages", "{\"wait_seconds\":60}"));
        write(toServer, "{\"id\":\"p\",\"method\":\"ping\"}");
        assertThat(new String(responses.next(), StandardCharsets.UTF_8)).contains("\"p\"");
        McpTestClient.of(mailbox, "codex").send("claude", "wake up");
        assertThat(new String(responses.next(), StandardCharsets.UTF_8)).contains("wake up");

        toServer.close();
        server.get(60, TimeUnit.SECONDS);
    }

    @Test
    void skipsOverlongLines() throws IOException {
        var long64 = "x".repeat(1024).getBytes(StandardCharsets.UTF_8);
        var in =
                new SequenceInputStream(
                        new InputStream() {
                            private int left = 65 * 1024;

                            @Override
                            public int read() {
                                throw new UnsupportedOperationException();
                            }

                            @Override
                            public int read(byte[] target, int offset, int length) {
                                if (left-- <= 0) {
                                    return -1;
                                }
                                System.arraycopy(long64, 0, target, offset, Math.min(length, 1024));
                                return Math.min(length, 1024);
                            }
                        },
                        new ByteArrayInputStream(
                                "\n{\"id\":1,\"method\":\"ping\"}\n"
                                        .getBytes(StandardCharsets.UTF_8)));
        var out = new ByteArrayOutputStream();

        new StdioServer(tools.connect(), in, out).run();

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("-32700"),
                        line -> assertThat(line).contains("\"result\":{}"));
    }

    @Test
    void mapsHttpSessionsToConnections() throws IOException {
        McpTestClient.of(mailbox, "codex").send("claude", "hello");
        try (var endpoint = new McpEndpoint(tools)) {
            var init =
                    endpoint.post(
                            null, bytes("{\"id\":1,\"method\":\"initialize\",\"params\":{}}"));
            assertThat(init.status()).isEqualTo(200);
            var session = init.sessionId();
            assertThat(
                            endpoint.post(
                                            session,
                                            bytes("{\"method\":\"notifications/initialized\"}"))
                                    .status())
                    .isEqualTo(202);
            var receive = bytes(client.request("receive_messages", "{}"));

            var lost = endpoint.post(session, receive);
            assertThat(text(lost)).contains("hello");
            lost.onUndelivered().run();
            assertThat(text(endpoint.post(session, receive))).contains("hello");
            assertThat(text(endpoint.post("another", receive)))
                    .as("not acknowledged")
                    .contains("hello");
            assertThat(text(endpoint.post(session, receive))).contains("No new messages");
            endpoint.closeSession(session);
            assertThat(text(endpoint.post(session, receive)))
                    .as("acknowledged")
                    .contains("No new messages");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(McpEndpoint.Response response) {
        return new String(response.body().orElseThrow(), StandardCharsets.UTF_8);
    }

    private static void write(PipedOutputStream out, String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
