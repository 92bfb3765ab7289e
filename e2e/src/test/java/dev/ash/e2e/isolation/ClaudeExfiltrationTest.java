package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.NeedsClaude;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests exfiltration through Anthropic's API by the real CLI, in a sandbox without network. */
@NeedsClaude
class ClaudeExfiltrationTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude().agent("obedient", ProviderExfiltration.AGENT);

    @BeforeAll
    static void deploy() throws IOException {
        ash.deploy("research", example("research-agent"));
    }

    private static Map<String, String> example(String name) throws IOException {
        var directory = Path.of("../examples").resolve(name);
        var files = new HashMap<String, String>();
        try (var found = Files.walk(directory)) {
            for (var file : found.filter(Files::isRegularFile).toList()) {
                if (!file.toString().endsWith(".pyc")) {
                    files.put(directory.relativize(file).toString(), Files.readString(file));
                }
            }
        }
        return files;
    }

    @Test
    void blocksExfiltrationThroughTheProvider() {
        var session = ash.session("obedient");

        session.ask("TOOL:Bash {\"command\":\"python3 exits.py anthropic > out.txt\"}\nSAY:tried");

        ProviderExfiltration.assertBlocked(session, ash.model(), "ASH_PROVIDER_TOOLS");
        ProviderExfiltration.assertNoUnknownFields(ash.server());
        assertThat(ash.model().awaitTurn("SAY:tried").toolNames())
                .as("tools of an agent that does not request web search")
                .contains("Bash")
                .doesNotContain("WebSearch");
    }

    @Test
    void showsTheReasonForARejectedRequest() {
        // The CLI forwards this image unchanged.
        var image = Map.of("type", "url", "url", "https://evil.example/x.png");
        var prompt =
                List.of(
                        Map.of("type", "text", "text", "SAY:seen"),
                        Map.of("type", "image", "source", image));
        try (var frames = ash.session("obedient").send(prompt, Map.of())) {
            assertThat(frames.rest().toString())
                    .contains("Ash rejected the model request at messages[");
        }
    }

    @Test
    void allowsWebSearchToTheResearchAgentUnlessTheSessionDisablesIt() {
        var search = "TOOL:WebSearch {\"query\":\"java 25\"}\nSAY:found";
        assertThat(Frame.said(ash.session("research").ask(search))).contains("found");
        assertThat(ash.model().requests()).anyMatch(ProviderExfiltration::offersWebSearch);

        ash.session(Map.of("agent", "research", "network", Map.of("providerTools", List.of())))
                .ask("SAY:narrowed");
        assertThat(ash.model().awaitTurn("SAY:narrowed").toolNames())
                .contains("Bash")
                .doesNotContain("WebSearch");
        ash.api()
                .post(
                        "/api/sessions",
                        Map.of(
                                "agent",
                                "research",
                                "network",
                                Map.of("providerTools", List.of("code_execution"))))
                .refused(403, "FORBIDDEN", "ASH_PROVIDER_TOOLS");
    }
}
