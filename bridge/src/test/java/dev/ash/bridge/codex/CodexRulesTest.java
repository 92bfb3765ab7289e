package dev.ash.bridge.codex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.bridge.codex.CodexRules.Verdict;
import dev.ash.bridge.engine.Setups;
import dev.ash.protocol.PermissionMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodexRulesTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Bash|git status|ALLOW",
                "Bash|git|ALLOW",
                "Bash|gitk|ASK",
                "Bash|git status; rm -r /|ASK",
                "Bash|git log $(touch x)|ASK",
                "Bash|make test|ALLOW",
                "Bash|make tests|ASK",
                "Edit|''|ASK",
                "mcp__mine__echo|''|ALLOW",
                "mcp__other__echo|''|ASK",
                "mcp__bad__echo|''|DENY"
            })
    void aPersonIsAskedWhereNoRuleDecides(String tool, String command, Verdict verdict) {
        var rules =
                new CodexRules(
                        PermissionMode.ASK,
                        List.of("Bash(git:*)", "Bash(make test)", "mcp__mine"),
                        List.of("mcp__bad"));

        assertThat(rules.verdict(tool, command)).isEqualTo(verdict);
        var byAgent =
                new CodexRules(
                        PermissionMode.PERMISSIONS_BY_AGENT, rules.allowed(), rules.denied());
        assertThat(byAgent.verdict(tool, command))
                .isEqualTo(verdict == Verdict.ASK ? Verdict.DENY : verdict);
    }

    @Test
    void withoutAskingEveryCallIsSeenOnlyIfSomethingIsDenied() {
        var free = new CodexRules(PermissionMode.BYPASS_PERMISSIONS, List.of(), List.of());
        assertThat(free.sees()).isFalse();
        assertThat(free.mayBrowse()).isTrue();

        var searchless =
                new CodexRules(PermissionMode.BYPASS_PERMISSIONS, List.of(), List.of("WebSearch"));
        assertThat(searchless.sees()).as("it is disabled, so there is no call to see").isFalse();
        assertThat(searchless.mayBrowse()).isFalse();

        var bound =
                new CodexRules(
                        PermissionMode.BYPASS_PERMISSIONS,
                        List.of(),
                        List.of("Write", "WebSearch"));
        assertThat(bound.sees()).isTrue();
        assertThat(bound.verdict("Edit", "")).isEqualTo(Verdict.DENY);
        assertThat(bound.verdict("Bash", "ls")).isEqualTo(Verdict.ALLOW);
        assertThat(bound.mayBrowse()).isFalse();
    }

    @Test
    void aDenyRuleThatCannotBeHeldIsRefusedUnlessAPersonDecides() throws Exception {
        var setup = Setups.in(folder, Map.of());
        var file = folder.resolve("agent/.claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"permissions\":{\"deny\":[\"Bash(rm:*)\"]}}");

        assertThatThrownBy(() -> CodexRules.of(setup, PermissionMode.BYPASS_PERMISSIONS))
                .hasMessageContaining("Bash(rm:*)")
                .hasMessageContaining("permissionMode ask");
        assertThatCode(() -> CodexRules.of(setup, PermissionMode.ASK)).doesNotThrowAnyException();
    }

    @Test
    void whatAnAgentWritesInItsWorkspaceFreesNothingAndMayBind() throws Exception {
        var file = folder.resolve("workspace/.claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"permissions\":{\"allow\":[\"Bash\"],\"deny\":[\"mcp__x\"]}}");

        var rules = CodexRules.of(Setups.in(folder, Map.of()), PermissionMode.ASK);

        assertThat(rules.verdict("Bash", "ls")).isEqualTo(Verdict.ASK);
        assertThat(rules.verdict("mcp__x__y", "")).isEqualTo(Verdict.DENY);
    }
}
