package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests turns with a scripted bridge: one at a time, interrupts, failures. */
class TurnTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py");

    @Test
    void rejectsPromptDuringTurn() {
        var session = ash.session("echo");
        try (var turn = session.send("HANG")) {
            turn.next("message");

            ash.api()
                    .post(session.path() + "/messages", Map.of("content", "me too"))
                    .refused(409, "SESSION_BUSY");
            session.post("interrupt").expect(200);

            assertThat(Frame.said(turn.rest())).isEmpty();
        }
        assertThat(Frame.said(session.ask("now"))).isEqualTo("now");
    }

    @Test
    void interruptEndsTurnButNotSession() {
        var session = ash.session("echo");
        try (var turn = session.send("HANG")) {
            turn.next("message");

            var answer = session.post("interrupt").expect(200);

            assertThat(answer.at("/interrupted").asBoolean()).isTrue();
            assertThat(Frame.names(turn.rest())).endsWith("message", "done");
        }
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    void interruptWithoutTurnSucceeds() {
        var session = ash.session("echo");

        assertThat(session.post("interrupt").expect(200).at("/interrupted").asBoolean()).isFalse();
    }

    @Test
    void bridgeErrorIsFollowedByDone() {
        var session = ash.session("echo");

        var frames = session.ask("FAIL the moon is full");

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(Frame.only("error", frames).getFirst().json().path("error").asString())
                .isEqualTo("the moon is full");
        assertThat(session.status()).isEqualTo("active");
        assertThat(Frame.said(session.ask("fine"))).isEqualTo("fine");
    }

    @Test
    void bridgeDeathFailsTurnAndSessionResumes() {
        var session = ash.session("echo");

        var frames = session.ask("DIE");

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(Frame.said(frames)).isEqualTo("about to die");
        assertThat(Frame.only("error", frames).getFirst().data())
                .contains("the bridge chose to die");
        session.awaitStatus("error");
        assertThat(session.post("resume").expect(200).at("/session/status").asString())
                .isEqualTo("active");
        assertThat(Frame.said(session.ask("back"))).isEqualTo("back");
    }

    @Test
    void endingSessionEndsTurn() {
        var session = ash.session("echo");
        try (var turn = session.send("HANG")) {
            turn.next("message");

            session.end().expect(200);

            assertThat(Frame.names(turn.rest())).endsWith("done");
        }
        session.awaitStatus("ended");
    }

    @Test
    void normalizesLineBreaksWithinMessages() {
        var frames = ash.session("echo").ask("SPACED");

        assertThat(Frame.only("message", frames).getFirst().data())
                .isEqualTo("{ \"type\" : \"result\" }");
    }
}
