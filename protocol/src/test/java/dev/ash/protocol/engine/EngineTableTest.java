package dev.ash.protocol.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineProfile.Launch;
import dev.ash.protocol.engine.EngineProfile.Program;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineTableTest {
    private static final EngineTable TABLE = EngineTable.builtIn();

    @Test
    void findsEnginesByAllTheirNames() {
        assertThat(TABLE.find("claude")).contains(EngineProfiles.CLAUDE);
        assertThat(TABLE.find("claude-code")).contains(EngineProfiles.CLAUDE);
        assertThat(TABLE.find("codex")).contains(EngineProfiles.CODEX);
        assertThat(TABLE.find("gemini-cli")).contains(EngineProfiles.GEMINI);
        assertThat(TABLE.find("auto")).isEmpty();
        assertThat(TABLE.find("Codex")).isEmpty();
    }

    @Test
    void hasTheNamesOfThePublishedProtocol() {
        assertThat(TABLE.all().stream().map(EngineProfile::publicName))
                .contains("claude-code", "opencode", "aider", "goose");
    }

    @Test
    void everyNameBelongsToOneEngine() {
        var names =
                TABLE.all().stream()
                        .flatMap(
                                profile ->
                                        Stream.concat(
                                                        Stream.of(
                                                                profile.name().value(),
                                                                profile.publicName()),
                                                        profile.aliases().stream())
                                                .distinct())
                        .toList();

        assertThat(names).doesNotHaveDuplicates().doesNotContain(EngineProfiles.AUTO);
    }

    @Test
    void programsShareNoVariableAndNoDirectory() {
        var programs = TABLE.all().stream().flatMap(e -> e.program().stream()).toList();

        assertThat(programs.stream().map(Program::variable)).doesNotHaveDuplicates();
        assertThat(programs.stream().map(Program::sandboxDirectory)).doesNotHaveDuplicates();
        assertThat(programs).allMatch(program -> !program.installCommand().isEmpty());
    }

    @Test
    void enginesWithoutOwnDriverHaveLaunch() {
        for (var engine : TABLE.all()) {
            boolean generic =
                    engine.driver() == EngineDriver.ACP || engine.driver() == EngineDriver.COMMAND;
            assertThat(engine.launch().equals(Launch.NONE)).as("%s", engine).isEqualTo(!generic);
            assertThat(engine.can(EngineCapability.INTERRUPT)).as("%s", engine).isTrue();
        }
    }

    /** Launches must not contain keys or addresses, which are inserted in the sandbox. */
    @Test
    void launchesGetKeyAndAddressFromPlaceholders() {
        for (var engine : TABLE.all()) {
            var values = engine.launch().environment().values();
            if (!values.isEmpty()) {
                assertThat(values).as("%s", engine).anyMatch(v -> v.contains("{model.url}"));
                assertThat(values).as("%s", engine).anyMatch(v -> v.contains("{model.key}"));
                assertThat(values).as("%s", engine).noneMatch(v -> v.contains("://"));
            }
        }
    }

    @Test
    void recommendsAshForTestedPackagesOnly() {
        assertThat(EngineProfiles.CODEX.installCommand()).isEqualTo("ash engines install codex");
        assertThat(EngineProfiles.QWEN.installCommand())
                .isEqualTo("npm install -g @qwen-code/qwen-code");
        assertThat(EngineProfiles.AIDER.installCommand()).isEqualTo("pipx install aider-chat");
        assertThat(EngineProfiles.DEMO.installCommand()).isEmpty();
        assertThat(EngineProfiles.CODEX.installDirectory())
                .isEqualTo("engine-programs/codex-0.166.0");
    }

    @Test
    void listsChoicesForMessages() {
        assertThat(TABLE.choices("or"))
                .isEqualTo(
                        "claude, codex, opencode, goose, gemini, aider, qwen, copilot, cline, demo or auto");
    }

    @Test
    void unknownStoredEnginesHaveProvider() {
        assertThat(TABLE.provider("codex")).isEqualTo(ModelProvider.OPENAI);
        assertThat(TABLE.provider("demo")).isEqualTo(ModelProvider.ANTHROPIC);
        assertThat(TABLE.provider("no longer there")).isEqualTo(ModelProvider.ANTHROPIC);
    }

    @Test
    void capabilitiesHaveWireNames() {
        assertThat(EngineCapability.MODIFIED_INPUT.wire()).isEqualTo("modified-input");
        assertThat(EngineDriver.ACP.wire()).isEqualTo("acp");
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
