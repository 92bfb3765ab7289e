package dev.ash.examples.qabot;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ash.sdk.AshClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QaBotTest {
    private static final String SESSION = "{\"session\":{\"id\":\"s1\",\"status\":\"active\"}}";

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

    @Test
    void deploysAgentPrintsAnswersAndEndsSession() throws IOException {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
        server.createContext("/", this::answer);
        server.start();
        var out = new ByteArrayOutputStream();
        try {
            var ash = new AshClient("http://localhost:" + server.getAddress().getPort(), "key");

            new QaBot(ash, new PrintStream(out, true, StandardCharsets.UTF_8))
                    .answer(Path.of("agent"), List.of("Why?"));
        } finally {
            server.stop(0);
        }

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("Q: Why?\nA: Bécause.\n");
        assertThat(requests)
                .containsExactly(
                        "POST /api/agents",
                        "POST /api/sessions",
                        "POST /api/sessions/s1/messages",
                        "DELETE /api/sessions/s1");
    }

    private void answer(HttpExchange exchange) throws IOException {
        var request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        requests.add(request);
        exchange.getRequestBody().readAllBytes();
        var isStream = request.endsWith("/messages");
        var body =
                isStream
                        ? "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"Bécause.\"}}\nid: 1\n\nevent: done\ndata: {\"sessionId\":\"s1\"}\nid: 2\n\n"
                        : request.endsWith("/agents")
                                ? "{\"agent\":{\"name\":\"qa-bot\"}}"
                                : SESSION;
        exchange.getResponseHeaders()
                .set("Content-Type", isStream ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
        exchange.close();
    }

    @Test
    void readsServerAddressFromEnvironmentOrConfigFile(@TempDir Path home) throws IOException {
        Files.createDirectories(home.resolve(".ash"));
        Files.writeString(
                home.resolve(".ash/config.json"),
                "{\"server_url\":\"https://localhost:5\",\"api_key\":\"k\",\"server_fingerprint\":\"f\"}");

        assertThat(ServerAddress.find(Map.of("HOME", home.toString())))
                .isEqualTo(new ServerAddress("https://localhost:5", "k", "f"));
        assertThat(ServerAddress.find(Map.of("ASH_SERVER_URL", "http://x", "ASH_API_KEY", "y")))
                .isEqualTo(new ServerAddress("http://x", "y", null));
        assertThat(ServerAddress.find(Map.of()))
                .isEqualTo(new ServerAddress("http://localhost:4100", null, null));
    }
}
