package dev.ash.bridge.acp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.bridge.acp.AcpRules.Verdict;
import dev.ash.bridge.engine.Setups;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.engine.EngineProfiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AcpRulesTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Bash|git status|ALLOW",
                "Bash|git status; rm -r /|ASK",
                "Bash|make|ASK",
                "Write|''|ASK",
                "Read|''|ALLOW",
                "TodoWrite|''|ALLOW",
                "mcp__mine__echo|''|ALLOW",
                "mcp__bad__echo|''|DENY"
            })
    void asksPersonIfNoRuleMatches(String tool, String command, Verdict verdict) {
        var rules =
                new AcpRules(
                        PermissionMode.ASK,
                        List.of("Bash(git:*)", "mcp__mine"),
                        List.of("mcp__bad"));

        assertThat(rules.verdict(tool, command)).isEqualTo(verdict);
        var byAgent =
                new AcpRules(PermissionMode.PERMISSIONS_BY_AGENT, rules.allowed(), rules.denied());
        assertThat(byAgent.verdict(tool, command))
                .isEqualTo(verdict == Verdict.ASK ? Verdict.DENY : verdict);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bash(rm:*)", "Read(./.env)", "Grep"})
    void rejectsRulesThatCannotBeEnforced(String rule) throws Exception {
        deny(rule);
        var setup = Setups.in(directory, Map.of());

        assertThatThrownBy(
                        () ->
                                AcpRules.of(
                                        EngineProfiles.GOOSE,
                                        setup,
                                        PermissionMode.BYPASS_PERMISSIONS))
                .hasMessageContaining("goose cannot enforce the rule '" + rule + "'");
    }

    @Test
    void personDecidesAboutPatterns() throws Exception {
        deny("Bash(rm:*)");
        var setup = Setups.in(directory, Map.of());

        assertThatCode(() -> AcpRules.of(EngineProfiles.GOOSE, setup, PermissionMode.ASK))
                .doesNotThrowAnyException();
    }

    private void deny(String rule) throws Exception {
        var file = directory.resolve("agent/.claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"permissions\":{\"deny\":[\"" + rule + "\"]}}");
    }
}
