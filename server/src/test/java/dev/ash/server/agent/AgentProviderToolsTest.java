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

/** Tests which provider tools the files of an agent request. */
class AgentProviderToolsTest {
    @TempDir Path directory;

    private void write(String name, String text) throws IOException {
        var file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void requestsNoToolsWithoutSettings() {
        assertThat(AgentSettings.providerTools(directory)).isEmpty();
    }

    @Test
    void requestsToolsOfAllowRules() throws IOException {
        write(".claude/settings.json", "{\"permissions\":{\"allow\":[\"Bash\",\"WebSearch\"]}}");

        assertThat(AgentSettings.providerTools(directory)).containsExactly("web_search");

        write(
                ".ash/agent.json",
                "{\"network\":{\"providerTools\":[\"web_fetch\",\"web_search\"]}}");
        assertThat(AgentSettings.providerTools(directory))
                .containsExactly("web_fetch", "web_search");
    }

    @Test
    void ignoresDenyRulesAndUnreadableFiles() throws IOException {
        write(
                ".claude/settings.json",
                "{\"permissions\":{\"allow\":[\"WebFetch\"],\"deny\":[\"WebSearch\"]}}");
        assertThat(AgentSettings.providerTools(directory)).isEmpty();

        write(".claude/settings.json", "{\"permissions\":{\"allow\":[\"WebSearch\"");
        assertThat(AgentSettings.providerTools(directory)).isEmpty();
    }

    @Test
    void readsStoredPolicyWithoutProviderTools() throws IOException {
        var stored =
                "{\"limits\":{\"memoryMb\":64},\"allow\":[\"a.example\"],\"open\":false,\"readOnly\":true}";

        var policy = Json.read(stored.getBytes(StandardCharsets.UTF_8), IsolationPolicy.class);

        assertThat(policy.providerTools()).isNull();
        assertThat(policy.readOnly()).isTrue();
        assertThat(policy.withBudget(1.0, null).providerTools()).isNull();
    }
}
