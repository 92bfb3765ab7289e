package dev.ash.bridge.claude;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bridge.claude.ToolRules.Verdict;
import dev.ash.bridge.engine.Setups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolRulesTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({
        "Read, ALLOW",
        "Grep, ALLOW",
        "TodoWrite, ALLOW",
        "StructuredOutput, ALLOW",
        "Task, ALLOW",
        "AskUserQuestion, DELEGATE",
        "ExitPlanMode, DELEGATE",
        "Skill, DELEGATE",
        "Bash, DELEGATE",
        "WebFetch, ALLOW",
        "mcp__mine__echo, ALLOW",
        "mcp__all__echo, ALLOW",
        "mcp__other__echo, ASK",
        "mcp__mine2__echo, ASK",
        "Write, ASK",
        "WebSearch, ASK",
        "TaskStop, ASK",
        "Unheard, ASK"
    })
    void decidesByRules(String tool, Verdict verdict) throws Exception {
        settings(
                "agent",
                "{\"permissions\":{\"allow\":[\"Bash(git:*)\",\"WebFetch\",\"mcp__mine\",\"mcp__all__*\"]}}");

        assertThat(ToolRules.of(Setups.in(directory, Map.of(), "ask")).verdict(tool))
                .isEqualTo(verdict);
    }

    @Test
    void ignoresAllowRulesInWorkspace() throws Exception {
        settings("workspace", "{\"permissions\":{\"allow\":[\"Bash\"]}}");

        assertThat(ToolRules.of(Setups.in(directory, Map.of(), "ask")).verdict("Bash"))
                .isEqualTo(Verdict.ASK);
    }

    @Test
    void unreadableRulesAllowNothing() throws Exception {
        settings("agent", "{\"permissions\":{\"allow\":[\"Bash\"]");

        assertThat(ToolRules.of(Setups.in(directory, Map.of(), "ask")).verdict("Bash"))
                .isEqualTo(Verdict.ASK);
    }

    private void settings(String directoryName, String json) throws Exception {
        var file = directory.resolve(directoryName).resolve(".claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, json);
    }
}
