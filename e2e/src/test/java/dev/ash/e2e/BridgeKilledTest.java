package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kills the bridge or the real CLI with SIGKILL: the turn fails, and the conversation can continue.
 */
@NeedsClaude
class BridgeKilledTest {
    @RegisterExtension static final AshExtension ash = AshExtension.claude().agent("hello");

    @Test
    void resumesConversationAfterBridgeIsKilled() {
        var session = ash.session("hello");
        session.ask("SAY:plums are blue");

        var frames = killDuringTurn(session, TestSession::bridgePid);

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(session.status()).isEqualTo("error");
        assertThat(session.processes()).isEmpty();
        session.post("resume").expect(200);
        assertThat(session.lifecycle().getLast()).contains("\"cold\"");
        assertConversationContinues(session, "SAY:after the bridge", "plums are blue");
    }

    @Test
    void sameBridgeContinuesConversationAfterEngineIsKilled() {
        var session = ash.session("hello");
        session.ask("SAY:pears are green");
        var bridge = session.bridgePid();
        var engine = session.enginePid();

        var frames = killDuringTurn(session, TestSession::enginePid);

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(Frame.only("error", frames).getFirst().data()).contains("next message restarts");
        assertThat(session.status()).isEqualTo("error");
        assertThat(Frame.said(session.ask("SAY:after the engine"))).isEqualTo("after the engine");
        assertThat(session.lifecycle().getLast()).contains("\"warm\"");
        assertConversationContinues(session, "SAY:and on", "pears are green");
        assertThat(session.bridgePid()).isEqualTo(bridge);
        assertThat(session.enginePid()).isNotEqualTo(engine);
    }

    @Test
    void reopensKilledEngineForQueuedMessage() {
        var session = ash.session("hello");
        session.ask("SAY:figs are violet");
        var queue = Map.of("whenBusy", "queue");
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");
            try (var queued = session.send("SAY:queued", queue)) {
                Processes.kill(session.enginePid());

                assertThat(Frame.names(turn.rest())).endsWith("error", "done");
                assertThat(Frame.said(queued.rest())).isEqualTo("queued");
            }
        } finally {
            ash.model().release();
        }
        assertConversationContinues(session, "SAY:after the queue", "figs are violet");
    }

    /** The error state must survive both a crash and a stop of the server. */
    @Test
    void errorStateSurvivesServerRestart() throws InterruptedException {
        var session = ash.session("hello");
        session.ask("SAY:quinces are yellow");
        killDuringTurn(session, TestSession::enginePid);
        assertThat(session.status()).isEqualTo("error");

        ash.kill();
        ash.startAgain();
        var same = ash.session(session);
        assertThat(same.status()).isEqualTo("error");
        ash.stop();
        ash.startAgain();
        same = ash.session(session);
        assertThat(same.status()).isEqualTo("error");

        same.post("resume").expect(200);
        assertConversationContinues(same, "SAY:after two servers", "quinces are yellow");
    }

    private static List<Frame> killDuringTurn(
            TestSession session, ToLongFunction<TestSession> victim) {
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            turn.next("text_delta");
            Processes.kill(victim.applyAsLong(session));
            return turn.rest();
        } finally {
            ash.model().release();
        }
    }

    private static void assertConversationContinues(
            TestSession session, String prompt, String remembered) {
        assertThat(session.status()).isEqualTo("active");
        assertThat(Frame.said(session.ask(prompt))).isEqualTo(prompt.substring(4));
        assertThat(ash.model().awaitTurn(prompt).everything()).contains(remembered);
    }
}
