package dev.ash.e2e.wall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.CodexServer;
import dev.ash.e2e.NeedsCodex;
import dev.ash.e2e.model.ScriptedModelApi;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the real CLI and its tools can make OpenAI do, in a sandbox without network. */
@NeedsCodex
class CodexExfiltrationTest {
    private static ScriptedModelApi api;
    private static AshServer server;

    @BeforeAll
    static void start() {
        api = ScriptedModelApi.start();
        server = CodexServer.start(api);
        server.deploy("obedient", Exits.AGENT);
    }

    @AfterAll
    static void stop() {
        server.close();
        api.close();
    }

    @Test
    void noExitThroughTheProvider() {
        var session = server.session("obedient");

        session.ask(
                "TOOL:exec_command {\"cmd\":\"python3 exits.py openai > out.txt\",\"yield_time_ms\":60000}\nSAY:tried");

        Exits.assertClosed(session, api, "previous_response_id");
        Exits.assertAllKnown(server);
    }

    @Test
    void theWebIsSearchedOnlyIfTheAgentAsks() {
        server.deploy(
                "searcher",
                Map.of(
                        "CLAUDE.md",
                        "Search.",
                        ".ash/agent.json",
                        "{\"network\":{\"providerTools\":[\"web_search\"]}}"));
        for (var agent : List.of("obedient", "searcher")) {
            server.session(Map.of("agent", agent, "model", "gpt-5.2-codex"))
                    .ask("SAY:I am " + agent);
        }

        assertThat(Exits.searches(api.awaitTurn("SAY:I am obedient"))).isFalse();
        assertThat(Exits.searches(api.awaitTurn("SAY:I am searcher"))).isTrue();
    }
}
