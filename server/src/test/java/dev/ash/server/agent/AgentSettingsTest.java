package dev.ash.server.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentSettingsTest {
    @TempDir Path directory;

    private AgentSettings settings(String claudeSettings) throws IOException {
        Files.createDirectories(directory.resolve(".claude"));
        Files.writeString(directory.resolve(".claude/settings.json"), claudeSettings);
        return AgentSettings.of(
                new DeployedAgent(
                        "id",
                        TenantId.DEFAULT,
                        new AgentName("coder"),
                        1,
                        directory,
                        Map.of(),
                        RawJson.EMPTY_OBJECT,
                        0,
                        0,
                        null));
    }

    @Test
    void rejectsClaudeSettingsThatSelectPlatformWithoutSupport() {
        assertThatThrownBy(() -> settings("{\"env\":{\"CLAUDE_CODE_USE_VERTEX\":\"1\"}}"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("agent \"coder\"")
                .hasMessageContaining(".claude/settings.json")
                .hasMessageContaining("CLAUDE_CODE_USE_VERTEX selects Google Vertex AI");
    }

    @Test
    void acceptsOtherVariablesOfClaudeSettings() throws IOException {
        var settings =
                settings(
                        "{\"env\":{\"CLAUDE_CODE_USE_VERTEX\":\"0\",\"DEBUG\":1},\"permissions\":{}}");

        assertThat(settings.hasPermissionRules()).isTrue();
    }
}
