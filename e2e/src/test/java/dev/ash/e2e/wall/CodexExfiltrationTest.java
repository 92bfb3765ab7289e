package dev.ash.e2e.wall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsCodex;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the real CLI and its tools can make OpenAI do, in a sandbox without network. */
@NeedsCodex
class CodexExfiltrationTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.codex().agent("obedient", Exits.AGENT);

    @Test
    void noExitThroughTheProvider() {
        var session = ash.session("obedient");

        session.ask(
                "TOOL:exec_command {\"cmd\":\"python3 exits.py openai > out.txt\",\"yield_time_ms\":60000}\nSAY:tried");

        Exits.assertClosed(session, ash.model(), "previous_response_id");
        Exits.assertAllKnown(ash.server());
    }

    @Test
    void theWebIsSearchedOnlyIfTheAgentAsks() {
        ash.deploy(
                "searcher",
                Map.of(
                        "CLAUDE.md",
                        "Search.",
                        ".ash/agent.json",
                        "{\"network\":{\"providerTools\":[\"web_search\"]}}"));
        for (var agent : List.of("obedient", "searcher")) {
            ash.session(Map.of("agent", agent, "model", "gpt-5.2-codex")).ask("SAY:I am " + agent);
        }

        assertThat(Exits.searches(ash.model().awaitTurn("SAY:I am obedient"))).isFalse();
        assertThat(Exits.searches(ash.model().awaitTurn("SAY:I am searcher"))).isTrue();
    }
}
