package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

/** Tests MCP servers outside the sandbox, which Codex reaches through the egress proxy. */
@NeedsCodex
class CodexMcpTest {
    /** Loopback address of the host that programs do not exclude from their proxy. */
    private static final String ADDRESS = "127.0.0.2";

    private static final Queue<String> keys = new ConcurrentLinkedQueue<>();
    private static final CountDownLatch end = new CountDownLatch(1);
    private static HttpServer mcp;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.codex()
                    // Only the operator can allow private addresses.
                    .with("ASH_NETWORK_ALLOW", _ -> ADDRESS + ":" + startMcp())
                    .agent("hello");

    @AfterAll
    static void stop() {
        end.countDown();
        mcp.stop(0);
    }

    /** Starts the MCP server and returns its port. */
    private static int startMcp() {
        try {
            mcp = HttpServer.create(new InetSocketAddress(ADDRESS, 0), 10);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        mcp.createContext("/mcp", CodexMcpTest::answer);
        mcp.createContext("/slow", CodexMcpTest::answerSlowly);
        mcp.createContext("/mute", _ -> awaitEnd());
        mcp.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        mcp.start();
        return mcp.getAddress().getPort();
    }

    /** Delays the response longer than the CLI waits by default. */
    private static void answerSlowly(HttpExchange exchange) throws IOException {
        try {
            end.await(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        answer(exchange);
    }

    private static void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        var mapper = new JsonMapper();
        var request = mapper.readTree(exchange.getRequestBody().readAllBytes());
        keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        var result =
                switch (request.path("method").asString("")) {
                    case "initialize" ->
                            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                                    + "\"serverInfo\":{\"name\":\"outside\",\"version\":\"1\"}}";
                    case "tools/list" ->
                            "{\"tools\":[{\"name\":\"where\",\"description\":\"Says where it is.\","
                                    + "\"inputSchema\":{\"type\":\"object\"}}]}";
                    case "tools/call" -> "{\"content\":[{\"type\":\"text\",\"text\":\"outside\"}]}";
                    default -> "{}";
                };
        try (exchange) {
            if (request.path("id").isMissingNode()) {
                exchange.sendResponseHeaders(
                        exchange.getRequestMethod().equals("POST") ? 202 : 405, -1);
                return;
            }
            var body =
                    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}"
                            .formatted(request.path("id"), result)
                            .getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Test
    void callsToolOfHttpServerThroughProxy() {
        var session = session(Map.of("outside", server("mcp")));

        var frames = session.ask("TOOL:mcp__outside/where {}\nSAY:called");

        assertThat(Frame.only("tool_result", frames).getFirst().data()).contains("outside");
        assertThat(Frame.said(frames)).isEqualTo("called");
        assertThat(keys).isNotEmpty().containsOnly("Bearer of-the-session");
    }

    @Test
    void firstRequestOffersToolsOfSlowServerAndOmitsUnresponsiveOne() {
        var session = session(Map.of("slow", server("slow"), "mute", server("mute")));

        session.ask("SAY:the very first");

        assertThat(ash.model().awaitTurn("the very first").toolNames())
                .contains("mcp__slow")
                .doesNotContain("mcp__mute");
    }

    private static TestSession session(Map<String, Object> servers) {
        return ash.session(
                Map.of(
                        "agent",
                        "hello",
                        "model",
                        "gpt-5", // receives all tools instead of a tool search
                        "mcpServers",
                        servers));
    }

    private static Map<String, Object> server(String path) {
        return Map.of(
                "type",
                "http",
                "url",
                "http://%s:%d/%s".formatted(ADDRESS, mcp.getAddress().getPort(), path),
                "headers",
                Map.of("Authorization", "Bearer of-the-session"));
    }
}
