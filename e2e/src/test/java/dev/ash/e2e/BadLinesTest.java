package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that malformed output of a faulty or hostile bridge fails only its own session. */
class BadLinesTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py");

    @ParameterizedTest
    @ValueSource(strings = {"GARBAGE", "ARRAY", "LATIN1", "LONG", "UTF16", "HALF"})
    void badLineFailsOnlyItsSession(String prompt) {
        var good = ash.session("echo");
        var bad = ash.session("echo");
        try (var turn = good.send("HANG")) {
            turn.next("message");

            var frames = bad.ask(prompt);

            assertThat(Frame.names(frames)).endsWith("error", "done");
            assertThat(Frame.only("message", frames)).isEmpty();
            bad.awaitStatus("error");
            good.post("interrupt").expect(200);
            assertThat(Frame.names(turn.rest())).endsWith("done");
        }
        assertThat(good.status()).isEqualTo("active");
        assertThat(Frame.said(good.ask("unharmed"))).isEqualTo("unharmed");
        assertThat(ash.server().process().isAlive()).isTrue();
    }

    @Test
    void sessionResumesAfterBadLine() {
        var session = ash.session("echo");
        session.ask("GARBAGE");
        session.awaitStatus("error");

        session.post("resume").expect(200);

        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
    }

    @Test
    void errorNamesCause() {
        var session = ash.session("echo");

        var error = Frame.only("error", session.ask("LATIN1")).getFirst();

        assertThat(error.json().path("error").asString()).contains("UTF-8");
        assertThat(error.data()).doesNotContain("Exception");
    }
}
