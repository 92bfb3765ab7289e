package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Checks that only the operator, not a client or an agent, can allow private addresses. */
class NetworkAllowTest {
    private static final String RUN_CURL =
            "demo: run curl -s -m 10 --noproxy '' -x \"$HTTP_PROXY\" ";
    private static final String CANARY = "CANARY-of-loopback";

    private static final HttpServer granted = web();
    private static final HttpServer secret = web();

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("ASH_NETWORK_ALLOW", _ -> "127.0.0.1:" + port(granted))
                    .agent("plain", Map.of("CLAUDE.md", "x"));

    private static HttpServer web() {
        HttpServer web;
        try {
            web =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        web.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, CANARY.length());
                    exchange.getResponseBody().write(CANARY.getBytes());
                    exchange.close();
                });
        web.start();
        return web;
    }

    @AfterAll
    static void stop() {
        granted.stop(0);
        secret.stop(0);
    }

    private static int port(HttpServer web) {
        return web.getAddress().getPort();
    }

    private static String curl(TestSession session, HttpServer web) {
        return session.exec(
                        "curl -s -m 10 --noproxy '' -x \"$HTTP_PROXY\" http://127.0.0.1:"
                                + port(web))
                .path("stdout")
                .asString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:@PORT@",
                "localhost:@PORT@",
                "[::1]:@PORT@",
                "169.254.169.254:80",
                "10.0.0.1"
            })
    void rejectsPrivateHostsOfClientsAndAgents(String pattern) {
        var allow = List.of(pattern.replace("@PORT@", Integer.toString(port(secret))));
        ash.deploy(
                "private",
                Map.of(
                        "CLAUDE.md",
                        "x",
                        ".ash/agent.json",
                        "{\"network\":{\"allow\":[\"%s\"]}}".formatted(allow.getFirst())));

        ash.api()
                .post("/api/sessions", Map.of("agent", "plain", "network", Map.of("allow", allow)))
                .refused(403, "FORBIDDEN", "ASH_NETWORK_ALLOW");
        ash.api()
                .post("/api/sessions", Map.of("agent", "private"))
                .refused(403, "FORBIDDEN", "ASH_NETWORK_ALLOW");
    }

    @Test
    void rejectsPrivateHostsAddedToAnAgentLater() {
        ash.deploy("changed", Map.of("CLAUDE.md", "x"));
        var allow = List.of("127.0.0.1:" + port(secret));
        ash.api()
                .patch("/api/agents/changed/config", Map.of("network", Map.of("allow", allow)))
                .expect(200);

        ash.api()
                .post("/api/sessions", Map.of("agent", "changed"))
                .refused(403, "FORBIDDEN", "ASH_NETWORK_ALLOW");
    }

    @Test
    void reachesOnlyTheLoopbackHostOfTheOperator() {
        var session = ash.session("plain");

        assertThat(curl(session, granted)).isEqualTo(CANARY);
        assertThat(curl(session, secret))
                .contains("ASH_NETWORK_ALLOW", "403")
                .doesNotContain(CANARY);
        await() // the event is stored after the refusal was sent
                .untilAsserted(
                        () -> assertThat(session.events()).anySatisfy(NetworkAllowTest::isBlocked));
    }

    private static void isBlocked(JsonNode event) {
        assertThat(event.path("type").asString()).isEqualTo("network_blocked");
        assertThat(event.path("data").asString()).contains("ASH_NETWORK_ALLOW");
    }

    @Test
    void reportsABlockedHostInTheStreamOfTheTurn() {
        var session = ash.session("plain");
        var url = "http://127.0.0.1:" + port(secret);

        var frames = session.ask(RUN_CURL + url);

        var blocked = Frame.only("network_blocked", frames);
        assertThat(blocked).hasSize(1);
        assertThat(blocked.getFirst().id()).isPositive();
        assertThat(blocked.getFirst().json().path("port").asInt()).isEqualTo(port(secret));
        assertThat(Frame.names(frames)).endsWith("done");

        var curl = RUN_CURL.replace("demo: run ", "");
        session.exec(curl + "http://127.0.0.1:1"); // no turn is open
        assertThat(Frame.names(session.ask("hello"))).doesNotContain("network_blocked");
        assertThat(session.events())
                .filteredOn(event -> event.path("type").asString().equals("network_blocked"))
                .hasSize(2);
    }

    @Test
    void acceptsPublicHostsOfAClient() {
        var session =
                ash.session(
                        Map.of(
                                "agent",
                                "plain",
                                "network",
                                Map.of("allow", List.of("registry.invalid"))));

        var stdout =
                session.exec("curl -s -m 20 -x \"$HTTP_PROXY\" http://registry.invalid/")
                        .path("stdout")
                        .asString();

        assertThat(stdout).contains("HOST_UNREACHABLE").doesNotContain("is not allowed");
    }
}
