package dev.ash.server.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.http.Json;
import dev.ash.server.isolation.IsolationPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which tools of the model's provider the files of an agent ask for. */
class AgentProviderToolsTest {
    @TempDir Path folder;

    private void write(String name, String text) throws IOException {
        var file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void anAgentThatSaysNothingAsksForNone() {
        assertThat(AgentSettings.providerTools(folder)).isEmpty();
    }

    @Test
    void aRuleThatAllowsTheSearchAsksForIt() throws IOException {
        write(".claude/settings.json", "{\"permissions\":{\"allow\":[\"Bash\",\"WebSearch\"]}}");

        assertThat(AgentSettings.providerTools(folder)).containsExactly("web_search");

        write(
                ".ash/agent.json",
                "{\"network\":{\"providerTools\":[\"web_fetch\",\"web_search\"]}}");
        assertThat(AgentSettings.providerTools(folder)).containsExactly("web_fetch", "web_search");
    }

    @Test
    void aRuleThatDeniesItOrCannotBeReadDoesNot() throws IOException {
        write(
                ".claude/settings.json",
                "{\"permissions\":{\"allow\":[\"WebFetch\"],\"deny\":[\"WebSearch\"]}}");
        assertThat(AgentSettings.providerTools(folder)).isEmpty();

        write(".claude/settings.json", "{\"permissions\":{\"allow\":[\"WebSearch\"");
        assertThat(AgentSettings.providerTools(folder)).isEmpty();
    }

    @Test
    void aSessionThatWasStoredBeforeHasNoDecision() throws IOException {
        var stored =
                "{\"limits\":{\"memoryMb\":64},\"allow\":[\"a.example\"],\"open\":false,\"readOnly\":true}";

        var wall = Json.read(stored.getBytes(StandardCharsets.UTF_8), IsolationPolicy.class);

        assertThat(wall.providerTools()).isNull();
        assertThat(wall.readOnly()).isTrue();
        assertThat(wall.withBudget(1.0, null).providerTools()).isNull();
    }
}
