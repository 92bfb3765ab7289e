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
    @TempDir private Path directory;

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
    void asksPersonIfNoRuleMatches(String tool, String command, Verdict verdict) {
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
    void reviewsCallsInBypassModeOnlyIfToolsAreDenied() {
        var unrestricted = new CodexRules(PermissionMode.BYPASS_PERMISSIONS, List.of(), List.of());
        assertThat(unrestricted.reviewsCalls()).isFalse();
        assertThat(unrestricted.allowsWebSearch()).isTrue();

        var withoutSearch =
                new CodexRules(PermissionMode.BYPASS_PERMISSIONS, List.of(), List.of("WebSearch"));
        assertThat(withoutSearch.reviewsCalls()).as("disabled, so there are no calls").isFalse();
        assertThat(withoutSearch.allowsWebSearch()).isFalse();

        var restricted =
                new CodexRules(
                        PermissionMode.BYPASS_PERMISSIONS,
                        List.of(),
                        List.of("Write", "WebSearch"));
        assertThat(restricted.reviewsCalls()).isTrue();
        assertThat(restricted.verdict("Edit", "")).isEqualTo(Verdict.DENY);
        assertThat(restricted.verdict("Bash", "ls")).isEqualTo(Verdict.ALLOW);
        assertThat(restricted.allowsWebSearch()).isFalse();
    }

    @Test
    void rejectsUnenforceableDenyRulesUnlessPersonDecides() throws Exception {
        var setup = Setups.in(directory, Map.of());
        var file = directory.resolve("agent/.claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"permissions\":{\"deny\":[\"Bash(rm:*)\"]}}");

        assertThatThrownBy(() -> CodexRules.of(setup, PermissionMode.BYPASS_PERMISSIONS))
                .hasMessageContaining("Bash(rm:*)")
                .hasMessageContaining("permissionMode ask");
        assertThatCode(() -> CodexRules.of(setup, PermissionMode.ASK)).doesNotThrowAnyException();
    }

    @Test
    void workspaceRulesCanOnlyDeny() throws Exception {
        var file = directory.resolve("workspace/.claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{\"permissions\":{\"allow\":[\"Bash\"],\"deny\":[\"mcp__x\"]}}");

        var rules = CodexRules.of(Setups.in(directory, Map.of()), PermissionMode.ASK);

        assertThat(rules.verdict("Bash", "ls")).isEqualTo(Verdict.ASK);
        assertThat(rules.verdict("mcp__x__y", "")).isEqualTo(Verdict.DENY);
    }
}
