package dev.ash.server.session.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.server.session.engine.Engines.Availability;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnginesTest {
    private static final Availability INSTALLED = new Availability(true, true);
    private static final Availability WITHOUT_KEY = new Availability(true, false);

    private static Engines engines(String defaultEngine, Availability claude, Availability codex) {
        return new Engines(
                defaultEngine,
                Map.of(EngineProfiles.CLAUDE.name(), claude, EngineProfiles.CODEX.name(), codex));
    }

    @Test
    void autoPrefersClaudeThenCodexThenDemo() {
        assertThat(engines("auto", INSTALLED, INSTALLED).chooseDefault()).hasToString("claude");
        assertThat(engines("auto", WITHOUT_KEY, INSTALLED).chooseDefault()).hasToString("codex");
        assertThat(engines("auto", Availability.MISSING, INSTALLED).chooseDefault())
                .hasToString("codex");
        assertThat(engines("auto", WITHOUT_KEY, WITHOUT_KEY).chooseDefault()).hasToString("demo");
        assertThat(engines("auto", Availability.MISSING, Availability.MISSING).chooseDefault())
                .hasToString("demo");
        assertThat(engines("codex", INSTALLED, Availability.MISSING).chooseDefault())
                .hasToString("codex");
    }

    @Test
    void sessionOverridesAgentAndAgentOverridesServer() {
        var engines = engines("demo", INSTALLED, INSTALLED);

        assertThat(engines.choose(Optional.of("codex"), Optional.of("claude"), false))
                .hasToString("codex");
        assertThat(engines.choose(Optional.empty(), Optional.of("claude-code"), false))
                .hasToString("claude");
        assertThatThrownBy(() -> engines.choose(Optional.of("x"), Optional.empty(), false))
                .hasMessageContaining("claude, codex, demo and auto");
    }

    @Test
    void listsInstalledEngines() {
        assertThat(engines("auto", INSTALLED, WITHOUT_KEY).available())
                .containsExactly("claude-code", "codex", "demo");
        assertThat(engines("auto", Availability.MISSING, Availability.MISSING).available())
                .containsExactly("demo");
    }

    @Test
    void namesTheMissingProgramOrKey() {
        var engines = engines("auto", Availability.MISSING, WITHOUT_KEY);

        assertThat(engines.missingRequirement("claude-code", true).orElseThrow())
                .contains("\"claude\"", "npm install -g @anthropic-ai/claude-code");
        assertThat(engines.missingRequirement("codex", false).orElseThrow())
                .contains("OPENAI_API_KEY");
        assertThat(engines.missingRequirement("codex", true)).as("the agent has a key").isEmpty();
        assertThat(engines.missingRequirement("demo", false)).isEmpty();
        assertThat(engines.missingRequirement("gardener", false)).isEmpty();
    }
}
