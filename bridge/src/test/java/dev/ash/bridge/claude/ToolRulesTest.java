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
    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "Read, PASS",
        "Grep, PASS",
        "TodoWrite, PASS",
        "StructuredOutput, PASS",
        "Task, PASS",
        "AskUserQuestion, LEAVE",
        "ExitPlanMode, LEAVE",
        "Skill, LEAVE",
        "Bash, LEAVE",
        "WebFetch, PASS",
        "mcp__mine__echo, PASS",
        "mcp__all__echo, PASS",
        "mcp__other__echo, ASK",
        "mcp__mine2__echo, ASK",
        "Write, ASK",
        "WebSearch, ASK",
        "TaskStop, ASK",
        "Unheard, ASK"
    })
    void decidesByTheTable(String tool, Verdict verdict) throws Exception {
        settings(
                "agent",
                "{\"permissions\":{\"allow\":[\"Bash(git:*)\",\"WebFetch\",\"mcp__mine\",\"mcp__all__*\"]}}");

        assertThat(ToolRules.of(Setups.in(folder, Map.of(), "ask")).verdict(tool))
                .isEqualTo(verdict);
    }

    @Test
    void whatAnAgentWritesInItsWorkspaceFreesNothing() throws Exception {
        settings("workspace", "{\"permissions\":{\"allow\":[\"Bash\"]}}");

        assertThat(ToolRules.of(Setups.in(folder, Map.of(), "ask")).verdict("Bash"))
                .isEqualTo(Verdict.ASK);
    }

    @Test
    void rulesThatCannotBeReadAllowNothing() throws Exception {
        settings("agent", "{\"permissions\":{\"allow\":[\"Bash\"]");

        assertThat(ToolRules.of(Setups.in(folder, Map.of(), "ask")).verdict("Bash"))
                .isEqualTo(Verdict.ASK);
    }

    private void settings(String place, String json) throws Exception {
        var file = folder.resolve(place).resolve(".claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, json);
    }
}
