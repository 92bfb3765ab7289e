package dev.ash.bridge.claude;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.SandboxDirectories;
import dev.ash.bridge.engine.Setups;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaudeLaunchTest {
    @TempDir private Path directory;

    @Test
    void setsRequiredFlags() throws Exception {
        var launch = launch(PermissionMode.BYPASS_PERMISSIONS, TurnOptions.NONE);

        assertThat(launch.flags())
                .containsExactly(
                        "--input-format",
                        "stream-json",
                        "--output-format",
                        "stream-json",
                        "--verbose",
                        "--include-partial-messages",
                        "--replay-user-messages",
                        "--setting-sources=project",
                        "--permission-mode",
                        "bypassPermissions",
                        "--disallowedTools=Write");
        assertThat(launch.initialize())
                .hasToString(
                        "{\"type\":\"control_request\",\"request_id\":\"ash-initialize\","
                                + "\"request\":{\"subtype\":\"initialize\"}}");
    }

    @Test
    void waitsForMcpServersIfConfigured() throws Exception {
        var setup = Setups.in(directory, Map.of("MCP_CONNECT_TIMEOUT_MS", "7"));
        assertThat(ClaudeLaunch.environment(setup)).isEqualTo(setup.environment());

        Files.createDirectories(directory.resolve("workspace"));
        Files.writeString(directory.resolve("workspace/.mcp.json"), "{}");

        assertThat(ClaudeLaunch.environment(Setups.in(directory, Map.of("A", "b"))))
                .containsEntry("A", "b")
                .containsEntry("MCP_CONNECTION_NONBLOCKING", "0")
                .containsEntry("MCP_CONNECT_TIMEOUT_MS", "10000");
        assertThat(ClaudeLaunch.environment(setup)).containsEntry("MCP_CONNECT_TIMEOUT_MS", "7");
    }

    @Test
    void excludesWorkspaceCopyOfInstructions() throws Exception {
        Files.createDirectories(directory.resolve("odd [name]*/agent"));
        Files.writeString(directory.resolve("odd [name]*/agent/CLAUDE.md"), "Be kind.");

        var setup = Setups.in(directory.resolve("odd [name]*"), Map.of());
        var launch = ClaudeLaunch.of(setup, PermissionMode.BYPASS_PERMISSIONS, TurnOptions.NONE);

        assertThat(launch.flags())
                .containsSequence(
                        "--settings",
                        "{\"claudeMdExcludes\":[\""
                                + directory
                                + "/odd ?name??/workspace/CLAUDE.md\"]}");
        assertThat(launch.initialize().toString()).contains("\"appendSystemPrompt\":\"Be kind.\"");
    }

    @Test
    void projectKeepsInstructionsAndAgentRulesApply() throws Exception {
        Files.createDirectories(directory.resolve("agent/.claude"));
        Files.writeString(directory.resolve("agent/CLAUDE.md"), "Be kind.");
        Files.writeString(
                directory.resolve("agent/.claude/settings.json"),
                "{\"permissions\":{\"deny\":[\"Bash(rm:*)\"],\"allow\":[\"Read\"]}}");
        var copy = Setups.in(directory, Map.of());
        var directories =
                new SandboxDirectories(
                        copy.directories().workspace(),
                        copy.directories().agent(),
                        copy.directories().home(),
                        true);
        var setup =
                new EngineSetup(
                        copy.sessionId(),
                        copy.config(),
                        directories,
                        copy.environment(),
                        copy.conversation());

        var launch = ClaudeLaunch.of(setup, PermissionMode.PERMISSIONS_BY_AGENT, TurnOptions.NONE);

        assertThat(launch.flags())
                .containsSequence(
                        "--settings",
                        "{\"permissions\":{\"allow\":[\"Read\"],\"deny\":[\"Bash(rm:*)\"]}}");
        assertThat(launch.initialize().toString()).contains("\"appendSystemPrompt\":\"Be kind.\"");
    }

    @Test
    void permissionsByAgentDisablesToolsThatAskPeople() throws Exception {
        assertThat(launch(PermissionMode.PERMISSIONS_BY_AGENT, TurnOptions.NONE).flags())
                .containsSequence("--permission-mode", "default")
                .containsSequence("--permission-prompt-tool", "stdio")
                .contains("--disallowedTools=Write,AskUserQuestion,EnterPlanMode,ExitPlanMode");
    }

    @Test
    void acceptsThinkingOptions() throws Exception {
        assertThat(thinking("{\"type\":\"disabled\"}").flags())
                .containsSequence("--thinking", "disabled");
        assertThat(thinking("{\"type\":\"enabled\"}").flags())
                .containsSequence("--thinking", "adaptive");
        assertThat(thinking("{\"type\":\"enabled\",\"budgetTokens\":2000}").flags())
                .containsSequence("--max-thinking-tokens", "2000");
        assertThatThrownBy(() -> thinking("{\"type\":\"hard\"}"))
                .hasMessageStartingWith("thinking: ");
    }

    @Test
    void acceptsOutputSchema() throws Exception {
        var options = options(null, null, "{\"type\":\"json_schema\",\"schema\":{\"a\": 1}}");

        assertThat(launch(PermissionMode.BYPASS_PERMISSIONS, options).initialize().toString())
                .contains("\"jsonSchema\":{\"a\": 1}");
        assertThatThrownBy(
                        () -> launch(PermissionMode.BYPASS_PERMISSIONS, options(null, null, "{}")))
                .hasMessageStartingWith("outputFormat: ");
    }

    @Test
    void canServeEqualLaunchesWithoutBudget() throws Exception {
        var plain = launch(PermissionMode.BYPASS_PERMISSIONS, TurnOptions.NONE);
        var effort =
                launch(
                        PermissionMode.BYPASS_PERMISSIONS,
                        new TurnOptions(true, "m", null, null, "low", null, null));
        var budget = launch(PermissionMode.BYPASS_PERMISSIONS, options(0.5, null, null));

        assertThat(plain.canServe(launch(PermissionMode.BYPASS_PERMISSIONS, TurnOptions.NONE)))
                .isTrue();
        assertThat(plain.canServe(effort)).isFalse();
        assertThat(budget.canServe(budget)).isFalse();
        assertThat(
                        plain.canServe(
                                launch(
                                        PermissionMode.BYPASS_PERMISSIONS,
                                        new TurnOptions(true, "m", null, null, null, null, null))))
                .isTrue();
    }

    private ClaudeLaunch thinking(String json) throws Exception {
        return launch(PermissionMode.BYPASS_PERMISSIONS, options(null, json, null));
    }

    private static TurnOptions options(Double budget, String thinking, String outputFormat) {
        return new TurnOptions(
                false,
                null,
                null,
                budget,
                null,
                thinking == null ? null : RawJson.of(thinking),
                outputFormat == null ? null : RawJson.of(outputFormat));
    }

    private ClaudeLaunch launch(PermissionMode permissions, TurnOptions options) throws Exception {
        return ClaudeLaunch.of(Setups.in(directory, Map.of()), permissions, options);
    }
}
