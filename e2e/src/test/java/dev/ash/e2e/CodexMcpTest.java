package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** An MCP server outside of the sandbox, which Codex reaches by the one way out. */
@NeedsCodex
class CodexMcpTest {
    /** Of the host's loopback, and not among the addresses that programs call without a proxy. */
    private static final String ADDRESS = "127.0.0.2";

    private static final Queue<String> keys = new ConcurrentLinkedQueue<>();
    private static ScriptedModelApi api;
    private static HttpServer mcp;
    private static AshServer server;

    @BeforeAll
    static void start() throws IOException {
        api = ScriptedModelApi.start();
        mcp = HttpServer.create(new InetSocketAddress(ADDRESS, 0), 10);
        mcp.createContext("/mcp", CodexMcpTest::answer);
        mcp.start();
        server = CodexServer.start(api);
        server.deploy("hello");
    }

    @AfterAll
    static void stop() {
        server.close();
        api.close();
        mcp.stop(0);
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
    void aToolOfTheSessionsHttpServerIsCalledThroughTheProxy() {
        var port = mcp.getAddress().getPort();
        var outside =
                Map.of(
                        "type",
                        "http",
                        "url",
                        "http://%s:%d/mcp".formatted(ADDRESS, port),
                        "headers",
                        Map.of("Authorization", "Bearer of-the-session"));
        var session =
                server.session(
                        Map.of(
                                "agent",
                                "hello",
                                "mcpServers",
                                Map.of("outside", outside),
                                "network",
                                Map.of("allow", new String[] {ADDRESS + ":" + port})));

        var frames = session.ask("TOOL:mcp__outside/where {}\nSAY:called");

        assertThat(Frame.only("tool_result", frames).getFirst().data()).contains("outside");
        assertThat(Frame.said(frames)).isEqualTo("called");
        assertThat(keys).isNotEmpty().containsOnly("Bearer of-the-session");
    }
}
