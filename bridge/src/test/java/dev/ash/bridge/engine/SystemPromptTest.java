package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.bridge.EngineConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemPromptTest {
    @TempDir private Path agent;

    @Test
    void appendsAgentFileByDefault() throws Exception {
        Files.writeString(agent.resolve("CLAUDE.md"), "Be kind.\n");

        assertThat(SystemPrompt.of(setup(null, null)))
                .contains(new SystemPrompt("Be kind.\n", SystemPrompt.Mode.APPEND));
    }

    @Test
    void prefersPromptOfSession() throws Exception {
        Files.writeString(agent.resolve("CLAUDE.md"), "Be kind.\n");

        assertThat(SystemPrompt.of(setup("Be brief.", "replace")))
                .contains(new SystemPrompt("Be brief.", SystemPrompt.Mode.REPLACE));
    }

    @Test
    void isEmptyWithoutFile() throws Exception {
        assertThat(SystemPrompt.of(setup(null, null))).isEmpty();
    }

    @Test
    void replacesIfAgentRequestsIt() throws Exception {
        Files.writeString(agent.resolve("CLAUDE.md"), "Be kind.\n");
        agentJson("{\"model\":\"x\",\"systemPrompt\":\"replace\"}");

        assertThat(SystemPrompt.of(setup(null, null)))
                .contains(new SystemPrompt("Be kind.\n", SystemPrompt.Mode.REPLACE));
        assertThat(SystemPrompt.of(setup(null, "append")))
                .contains(new SystemPrompt("Be kind.\n", SystemPrompt.Mode.APPEND));
    }

    @Test
    void rejectsUnknownMode() throws Exception {
        Files.writeString(agent.resolve("CLAUDE.md"), "Be kind.\n");
        agentJson("{\"systemPrompt\":\"shout\"}");

        assertThatThrownBy(() -> SystemPrompt.of(setup(null, null)))
                .hasMessage("unknown systemPrompt mode 'shout'; expected append or replace");
    }

    private void agentJson(String json) throws IOException {
        Files.createDirectories(agent.resolve(".ash"));
        Files.writeString(agent.resolve(".ash/agent.json"), json);
    }

    private EngineSetup setup(String prompt, String mode) {
        var config =
                new EngineConfig(
                        null, null, prompt, mode, null, null, null, null, List.of(), List.of(),
                        List.of(), Map.of(), null);
        return new EngineSetup(
                "s",
                config,
                new SandboxDirectories(agent, agent, agent),
                Map.of(),
                Conversation.load(agent));
    }
}
