package dev.ash.server.session.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.server.session.engine.Engines.Found;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnginesTest {
    private static final Found THERE = new Found(true, true);
    private static final Found WITHOUT_KEY = new Found(true, false);

    private static Engines engines(String wish, Found claude, Found codex) {
        return new Engines(
                wish,
                Map.of(EngineProfiles.CLAUDE.name(), claude, EngineProfiles.CODEX.name(), codex));
    }

    @Test
    void autoIsClaudeThenCodexThenTheDemo() {
        assertThat(engines("auto", THERE, THERE).byDefault()).hasToString("claude");
        assertThat(engines("auto", WITHOUT_KEY, THERE).byDefault()).hasToString("codex");
        assertThat(engines("auto", Found.NOTHING, THERE).byDefault()).hasToString("codex");
        assertThat(engines("auto", WITHOUT_KEY, WITHOUT_KEY).byDefault()).hasToString("demo");
        assertThat(engines("auto", Found.NOTHING, Found.NOTHING).byDefault()).hasToString("demo");
        assertThat(engines("codex", THERE, Found.NOTHING).byDefault()).hasToString("codex");
    }

    @Test
    void theSessionDecidesBeforeTheAgentBeforeTheServer() {
        var engines = engines("demo", THERE, THERE);

        assertThat(engines.choose(Optional.of("codex"), Optional.of("claude"), false))
                .hasToString("codex");
        assertThat(engines.choose(Optional.empty(), Optional.of("claude-code"), false))
                .hasToString("claude");
        assertThatThrownBy(() -> engines.choose(Optional.of("x"), Optional.empty(), false))
                .hasMessageContaining("claude, codex, demo and auto");
    }

    @Test
    void devicesSeeWhatIsThere() {
        assertThat(engines("auto", THERE, WITHOUT_KEY).available())
                .containsExactly("claude-code", "codex", "demo");
        assertThat(engines("auto", Found.NOTHING, Found.NOTHING).available())
                .containsExactly("demo");
    }

    @Test
    void namesTheMissingProgramOrKey() {
        var engines = engines("auto", Found.NOTHING, WITHOUT_KEY);

        assertThat(engines.missing("claude-code", true).orElseThrow())
                .contains("\"claude\"", "npm install -g @anthropic-ai/claude-code");
        assertThat(engines.missing("codex", false).orElseThrow()).contains("OPENAI_API_KEY");
        assertThat(engines.missing("codex", true)).as("its agent has a key").isEmpty();
        assertThat(engines.missing("demo", false)).isEmpty();
        assertThat(engines.missing("gardener", false)).isEmpty();
    }
}
