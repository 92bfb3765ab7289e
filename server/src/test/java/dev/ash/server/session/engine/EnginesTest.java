package dev.ash.server.session.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.engine.ModelProvider;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EnginesTest {
    private static final EngineProfile CLAUDE = EngineProfiles.CLAUDE;
    private static final EngineProfile CODEX = EngineProfiles.CODEX;
    private static final Set<ModelProvider> ALL_KEYS = Set.of(ModelProvider.values());

    private static Engines engines(
            String defaultEngine, Set<ModelProvider> keys, EngineProfile... installed) {
        var programs = new HashMap<EngineName, InstalledProgram>();
        for (var engine : installed) {
            programs.put(
                    engine.name(), new InstalledProgram(Path.of("/bin/" + engine.name()), "", ""));
        }
        return new Engines(EngineTable.builtIn(), defaultEngine, programs, keys);
    }

    @Test
    void autoPrefersClaudeThenCodexThenOthersThenDemo() {
        var goose = EngineProfiles.GOOSE;
        var gemini = EngineProfiles.GEMINI;
        var openAi = Set.of(ModelProvider.OPENAI);

        assertThat(engines("auto", ALL_KEYS, CLAUDE, CODEX).chooseDefault()).hasToString("claude");
        assertThat(engines("auto", openAi, CLAUDE, CODEX).chooseDefault()).hasToString("codex");
        assertThat(engines("auto", ALL_KEYS, CODEX, goose).chooseDefault()).hasToString("codex");
        assertThat(engines("auto", ALL_KEYS, gemini, goose).chooseDefault()).hasToString("goose");
        assertThat(engines("auto", Set.of(), CLAUDE, gemini).chooseDefault())
                .as("a program without a key is not selected")
                .hasToString("demo");
        assertThat(engines("auto", ALL_KEYS).chooseDefault()).hasToString("demo");
        assertThat(engines("codex", ALL_KEYS, CLAUDE).chooseDefault()).hasToString("codex");
    }

    @Test
    void sessionOverridesAgentAndAgentOverridesServer() {
        var engines = engines("demo", ALL_KEYS, CLAUDE, CODEX);

        assertThat(engines.choose(Optional.of("codex"), Optional.of("claude"), false))
                .hasToString("codex");
        assertThat(engines.choose(Optional.empty(), Optional.of("claude-code"), false))
                .hasToString("claude");
        assertThatThrownBy(() -> engines.choose(Optional.of("x"), Optional.empty(), false))
                .hasMessageContaining("claude, codex, opencode")
                .hasMessageContaining("demo and auto");
    }

    @Test
    void choosesConfiguredEngineByItsAlias() {
        var table =
                EngineTable.of(
                        """
                        {"mine": {"driver": "acp", "command": "mine", "provider": "openai",
                          "aliases": ["my-own"]}}
                        """);
        var engines = new Engines(table, "auto", Map.of(), Set.of());

        assertThat(engines.choose(Optional.of("my-own"), Optional.empty(), false))
                .hasToString("mine");
        assertThat(engines.missingRequirement("mine", false).orElseThrow())
                .contains("\"mine\" was not found", "set MINE_EXECUTABLE to its path");
    }

    @Test
    void listsInstalledEngines() {
        assertThat(engines("auto", Set.of(), CLAUDE, CODEX).available())
                .containsExactly("claude-code", "codex", "demo");
        assertThat(engines("auto", ALL_KEYS).available()).containsExactly("demo");
    }

    @Test
    void namesTheMissingProgramOrKey() {
        var engines = engines("auto", Set.of(), CODEX);

        assertThat(engines.missingRequirement("claude-code", true).orElseThrow())
                .contains("\"claude\"", "ash engines install claude");
        assertThat(engines.missingRequirement("aider", true).orElseThrow())
                .contains("pipx install aider-chat");
        assertThat(engines.missingRequirement("codex", false).orElseThrow())
                .contains("OPENAI_API_KEY");
        assertThat(engines.missingRequirement("codex", true)).as("the agent has a key").isEmpty();
        assertThat(engines.missingRequirement("demo", false)).isEmpty();
        assertThat(engines.missingRequirement("gardener", false)).isEmpty();
    }

    @Test
    void reportsWhySandboxesCannotRunTheProgram() {
        var program = new InstalledProgram(Path.of("/x/gemini"), "0.61.0", "it needs node");
        var engines =
                new Engines(
                        EngineTable.builtIn(),
                        "auto",
                        Map.of(EngineProfiles.GEMINI.name(), program),
                        ALL_KEYS);

        assertThat(engines.missingRequirement("gemini", true).orElseThrow())
                .isEqualTo("gemini cannot run in sandboxes: it needs node");
        assertThat(engines.chooseDefault()).hasToString("demo");
        assertThat(engines.installed())
                .isEqualTo(List.of(EngineProfiles.GEMINI, EngineProfiles.DEMO));
    }
}
