package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A bridge that does not come up fails the create with what it said, and leaves nothing. */
class BridgeStartTest {
    @Test
    void aBridgeThatNeverSaysReadyFailsTheCreateInTenSeconds() {
        try (var server = AshServer.start(Resources.SEED_BRIDGE)) {
            server.deploy("mute", Resources.agentWithBridge("mute_bridge.py"));
            var start = System.nanoTime();

            var answer = server.api().post("/api/sessions", Map.of("agent", "mute"));

            var took = Duration.ofNanos(System.nanoTime() - start);
            answer.refused(502, "SANDBOX_FAILED", "the licence server does not answer");
            assertThat(took).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(15));
            assertErrorSession(server, answer);
        }
    }

    @Test
    void aBridgeThatEndsAtOnceFailsTheCreateAtOnce() {
        try (var server = AshServer.start(Resources.SEED_BRIDGE)) {
            server.deploy("failing", Resources.agentWithBridge("failing_bridge.py"));
            var start = System.nanoTime();

            var answer = server.api().post("/api/sessions", Map.of("agent", "failing"));

            answer.refused(502, "SANDBOX_FAILED", "no module named wonder");
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(8));
            assertErrorSession(server, answer);
        }
    }

    @Test
    void aSandboxThatDidNotStartTakesNoPlace() {
        var environment = new HashMap<>(Resources.SEED_BRIDGE);
        environment.put("ASH_MAX_SANDBOXES", "1");
        try (var server = AshServer.start(environment)) {
            server.deploy("failing", Resources.agentWithBridge("failing_bridge.py"));
            server.deploy("echo", Resources.agentWithBridge("seed_bridge.py"));
            server.api().post("/api/sessions", Map.of("agent", "failing")).expect(502);

            var session = server.session("echo");

            assertThat(Frame.said(session.ask("room for one"))).isEqualTo("room for one");
            server.api()
                    .post("/api/sessions", Map.of("agent", "echo"))
                    .refused(503, "CAPACITY_REACHED", "ASH_MAX_SANDBOXES");
            session.end().expect(200);
            assertThat(Frame.said(server.session("echo").ask("again"))).isEqualTo("again");
        }
    }

    private static void assertErrorSession(AshServer server, Answer answer) {
        var id = answer.at("/sessionId").asString("");
        assertThat(server.api().get("/api/sessions/" + id).expect(200).at("/session/status").asString())
                .isEqualTo("error");
        assertThat(server.api().get("/health").at("/activeSandboxes").asInt()).isZero();
    }
}
