package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How an engine is kept, and what its death means; with a program that passes for the CLI. */
class EngineTest {
    private static AshServer server;

    @BeforeAll
    static void start() throws IOException {
        server = ClaudeServer.startFake();
        server.deploy("hello");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void anEngineThatDiesInATurnEndsItWithErrorAndDoneAndTheSessionCanResume() {
        var session = server.session("hello");
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
    void anEngineIsKeptAliveBetweenTurns() {
        var session = server.session("hello");

        assertThat(Frame.said(session.ask("one"))).isEqualTo(Frame.said(session.ask("two")));
    }

    @Test
    void aLineOfTheEngineThatIsNoJsonIsNoMessage() {
        var frames = server.session("hello").ask("GARBAGE");

        assertThat(Frame.only("message", frames))
                .extracting(Frame::type)
                .containsExactly("system", "assistant", "result");
    }

    @Test
    void aSessionMayChooseAnotherEngine() {
        var session = server.session(Map.of("agent", "hello", "engine", "demo"));

        assertThat(Frame.said(session.ask("hello"))).containsIgnoringCase("demo");
        assertThat(session.created().path("engine").asString()).isEqualTo("demo");
    }

    @Test
    void anAgentMayChooseItsEngine() {
        server.deploy(
                "demonstrator",
                Map.of("CLAUDE.md", "x\n", ".ash/agent.json", "{\"engine\":\"demo\"}"));

        assertThat(Frame.said(server.session("demonstrator").ask("hello")))
                .containsIgnoringCase("demo");
    }
}
