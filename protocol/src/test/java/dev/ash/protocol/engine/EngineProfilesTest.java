package dev.ash.protocol.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineProfilesTest {
    @Test
    void findsEnginesByBothNames() {
        assertThat(EngineTable.builtIn().find("claude")).contains(EngineProfiles.CLAUDE);
        assertThat(EngineTable.builtIn().find("claude-code")).contains(EngineProfiles.CLAUDE);
        assertThat(EngineTable.builtIn().find("codex")).contains(EngineProfiles.CODEX);
        assertThat(EngineTable.builtIn().find("auto")).isEmpty();
        assertThat(EngineTable.builtIn().find("Codex")).isEmpty();
    }

    @Test
    void everyNameBelongsToOneEngine() {
        var names =
                EngineTable.builtIn().all().stream()
                        .flatMap(
                                profile ->
                                        Stream.of(profile.name().value(), profile.publicName())
                                                .distinct())
                        .toList();

        assertThat(names).doesNotHaveDuplicates().doesNotContain(EngineProfiles.AUTO);
    }

    @Test
    void programsShareNoVariableAndNoDirectory() {
        var programs =
                EngineTable.builtIn().all().stream().flatMap(profile -> profile.program().stream()).toList();

        assertThat(programs.stream().map(EngineProfile.Program::variable)).doesNotHaveDuplicates();
        assertThat(programs.stream().map(EngineProfile.Program::sandboxDirectory))
                .doesNotHaveDuplicates();
    }

    @Test
    void listsChoicesForMessages() {
        assertThat(EngineTable.builtIn().choices("or")).isEqualTo(
                        "claude, codex, opencode, goose, gemini, aider, qwen, copilot, cline, demo or auto");
    }

    @Test
    void unknownStoredEnginesHaveProvider() {
        assertThat(EngineTable.builtIn().provider("codex")).isEqualTo(ModelProvider.OPENAI);
        assertThat(EngineTable.builtIn().provider("demo")).isEqualTo(ModelProvider.ANTHROPIC);
        assertThat(EngineTable.builtIn().provider("no longer there")).isEqualTo(ModelProvider.ANTHROPIC);
    }

    @Test
    void ignoresBlankCredentialVariables() {
        assertThat(ModelProvider.ANTHROPIC.hasCredential(Map.of("ANTHROPIC_AUTH_TOKEN", "t")))
                .isTrue();
        assertThat(ModelProvider.ANTHROPIC.hasCredential(Map.of("ANTHROPIC_API_KEY", " ")))
                .isFalse();
        assertThat(ModelProvider.OPENAI.hasCredential(Map.of("ANTHROPIC_API_KEY", "k"))).isFalse();
        assertThat(List.of(ModelProvider.values()))
                .allSatisfy(provider -> assertThat(provider.keyVariable()).endsWith("_API_KEY"));
    }

    @Test
    void findsProvidersByWireName() {
        assertThat(ModelProvider.find("google")).contains(ModelProvider.GOOGLE);
        assertThat(ModelProvider.find("GOOGLE")).isEmpty();
        assertThat(ModelProvider.GOOGLE.hasCredential(Map.of("GOOGLE_API_KEY", "k"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Claude", "claude code", "-claude", "../claude"})
    void rejectsInvalidNames(String name) {
        assertThatThrownBy(() -> new EngineName(name)).isInstanceOf(ApiException.class);
    }
}
