package dev.ash.e2e.wall;

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

/** What the real CLI and its tools can make Anthropic do, in a sandbox without network. */
@NeedsClaude
class ClaudeExfiltrationTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().agent("obedient", Exits.AGENT);

    @BeforeAll
    static void deploy() throws IOException {
        ash.deploy("research", example("research-agent"));
    }

    private static Map<String, String> example(String name) throws IOException {
        var folder = Path.of("../examples").resolve(name);
        var files = new HashMap<String, String>();
        try (var found = Files.walk(folder)) {
            for (var file : found.filter(Files::isRegularFile).toList()) {
                if (!file.toString().endsWith(".pyc")) {
                    files.put(folder.relativize(file).toString(), Files.readString(file));
                }
            }
        }
        return files;
    }

    @Test
    void noExitThroughTheProvider() {
        var session = ash.session("obedient");

        session.ask("TOOL:Bash {\"command\":\"python3 exits.py anthropic > out.txt\"}\nSAY:tried");

        Exits.assertClosed(session, ash.model(), "ASH_PROVIDER_TOOLS");
        Exits.assertAllKnown(ash.server());
        assertThat(ash.model().awaitTurn("SAY:tried").toolNames())
                .as("the agent does not ask for it")
                .contains("Bash")
                .doesNotContain("WebSearch");
    }

    @Test
    void theEngineShowsWhatWasRejected() {
        // The CLI passes this image on as it is.
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
    void theResearchAgentSearchesTheWebUnlessItsSessionMayNot() {
        var search = "TOOL:WebSearch {\"query\":\"java 25\"}\nSAY:found";
        assertThat(Frame.said(ash.session("research").ask(search))).contains("found");
        assertThat(ash.model().requests()).anyMatch(Exits::searches);

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
