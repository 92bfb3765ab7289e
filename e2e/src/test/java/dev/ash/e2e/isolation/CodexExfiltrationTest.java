package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsCodex;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests exfiltration through OpenAI's API by the real CLI, in a sandbox without network. */
@NeedsCodex
class CodexExfiltrationTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.codex().agent("obedient", ProviderExfiltration.AGENT);

    @Test
    void blocksExfiltrationThroughTheProvider() {
        var session = ash.session("obedient");

        session.ask(
                "TOOL:exec_command {\"cmd\":\"python3 exits.py openai > out.txt\",\"yield_time_ms\":60000}\nSAY:tried");

        ProviderExfiltration.assertBlocked(session, ash.model(), "previous_response_id");
        ProviderExfiltration.assertNoUnknownFields(ash.server());
    }

    @Test
    void offersWebSearchOnlyIfTheAgentRequestsIt() {
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

        assertThat(ProviderExfiltration.offersWebSearch(ash.model().awaitTurn("SAY:I am obedient")))
                .isFalse();
        assertThat(ProviderExfiltration.offersWebSearch(ash.model().awaitTurn("SAY:I am searcher")))
                .isTrue();
    }
}
