package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the lifecycle of the engine process with a fake CLI. */
class EngineTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.scriptedClaude("fake_claude.py").agent("hello");

    @Test
    void engineDeathFailsTurnAndSessionResumes() {
        var session = ash.session("hello");
        var first = Frame.said(session.ask("hello"));

        var frames = session.ask("DIE");

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(Frame.only("error", frames).getFirst().data()).contains("out of luck");
        if (session.status().equals("error")) {
            session.post("resume").expect(200);
        }
        assertThat(Frame.said(session.ask("again"))).startsWith("pid ").isNotEqualTo(first);
    }

    @Test
    void keepsEngineBetweenTurns() {
        var session = ash.session("hello");

        assertThat(Frame.said(session.ask("one"))).isEqualTo(Frame.said(session.ask("two")));
    }

    @Test
    void ignoresEngineOutputThatIsNotJson() {
        var frames = ash.session("hello").ask("GARBAGE");

        assertThat(Frame.only("message", frames))
                .extracting(Frame::type)
                .containsExactly("system", "assistant", "result");
    }

    @Test
    void sessionSelectsEngine() {
        var session = ash.session(Map.of("agent", "hello", "engine", "demo"));

        assertThat(Frame.said(session.ask("hello"))).containsIgnoringCase("demo");
        assertThat(session.created().path("engine").asString()).isEqualTo("demo");
    }

    @Test
    void agentSelectsEngine() {
        ash.deploy(
                "demonstrator",
                Map.of("CLAUDE.md", "x\n", ".ash/agent.json", "{\"engine\":\"demo\"}"));

        assertThat(Frame.said(ash.session("demonstrator").ask("hello")))
                .containsIgnoringCase("demo");
    }
}
