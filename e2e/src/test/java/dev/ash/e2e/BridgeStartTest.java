package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks that a bridge that fails to start fails the create request with its output and leaves
 * nothing behind.
 */
class BridgeStartTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge()
                    .with("ASH_MAX_SANDBOXES", "1")
                    .agentWithBridge("mute", "mute_bridge.py")
                    .agentWithBridge("failing", "failing_bridge.py")
                    .agentWithBridge("echo", "seed_bridge.py");

    @Test
    void failsCreateAfterTenSecondsIfBridgeIsNeverReady() {
        var start = System.nanoTime();

        var answer = ash.api().post("/api/sessions", Map.of("agent", "mute"));

        var took = Duration.ofNanos(System.nanoTime() - start);
        answer.refused(502, "SANDBOX_FAILED", "the licence server does not answer");
        assertThat(took).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(25));
        assertErrorSession(answer);
    }

    @Test
    void failsCreateImmediatelyIfBridgeExits() {
        var answer = ash.api().post("/api/sessions", Map.of("agent", "failing"));

        answer.refused(502, "SANDBOX_FAILED", "exited with code", "no module named wonder");
        assertErrorSession(answer);
    }

    @Test
    void failedSandboxDoesNotCountTowardCapacity() {
        ash.api().post("/api/sessions", Map.of("agent", "failing")).expect(502);

        var session = ash.session("echo");

        assertThat(Frame.said(session.ask("room for one"))).isEqualTo("room for one");
        var turn = session.send("HANG");
        turn.next("message");
        ash.api()
                .post("/api/sessions", Map.of("agent", "echo"))
                .refused(503, "CAPACITY_REACHED", "ASH_MAX_SANDBOXES");
        session.end().expect(200);
        turn.rest();
        var next = ash.session("echo");
        assertThat(Frame.said(next.ask("again"))).isEqualTo("again");
        next.end().expect(200);
    }

    private static void assertErrorSession(ApiResponse answer) {
        var id = answer.at("/sessionId").asString("");
        var session = ash.api().get("/api/sessions/" + id).expect(200);
        assertThat(session.at("/session/status").asString()).isEqualTo("error");
        assertThat(ash.api().get("/health").at("/activeSandboxes").asInt()).isZero();
    }
}
