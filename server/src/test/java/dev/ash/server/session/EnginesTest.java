package dev.ash.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.server.session.Engines.Found;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnginesTest {
    private static final Found THERE = new Found(true, true);
    private static final Found WITHOUT_KEY = new Found(true, false);

    @Test
    void autoIsClaudeThenCodexThenTheDemo() {
        assertThat(new Engines("auto", THERE, THERE).byDefault()).isEqualTo("claude");
        assertThat(new Engines("auto", WITHOUT_KEY, THERE).byDefault()).isEqualTo("codex");
        assertThat(new Engines("auto", Found.NOTHING, THERE).byDefault()).isEqualTo("codex");
        assertThat(new Engines("auto", WITHOUT_KEY, WITHOUT_KEY).byDefault()).isEqualTo("demo");
        assertThat(new Engines("auto", Found.NOTHING, Found.NOTHING).byDefault()).isEqualTo("demo");
        assertThat(new Engines("codex", THERE, Found.NOTHING).byDefault()).isEqualTo("codex");
    }

    @Test
    void theSessionDecidesBeforeTheAgentBeforeTheServer() {
        var engines = new Engines("demo", THERE, THERE);

        assertThat(engines.choose(Optional.of("codex"), Optional.of("claude"), false))
                .isEqualTo("codex");
        assertThat(engines.choose(Optional.empty(), Optional.of("claude-code"), false))
                .isEqualTo("claude");
        assertThatThrownBy(() -> engines.choose(Optional.of("x"), Optional.empty(), false))
                .hasMessageContaining("claude, codex, demo and auto");
    }

    @Test
    void devicesSeeWhatIsThere() {
        assertThat(new Engines("auto", THERE, WITHOUT_KEY).available())
                .containsExactly("claude-code", "codex", "demo");
        assertThat(new Engines("auto", Found.NOTHING, Found.NOTHING).available())
                .containsExactly("demo");
    }

    @Test
    void namesTheMissingProgramOrKey() {
        var engines = new Engines("auto", Found.NOTHING, WITHOUT_KEY);

        assertThat(engines.missing("claude-code", true).orElseThrow())
                .contains("\"claude\"", "npm install -g @anthropic-ai/claude-code");
        assertThat(engines.missing("codex", false).orElseThrow()).contains("OPENAI_API_KEY");
        assertThat(engines.missing("codex", true)).as("its agent has a key").isEmpty();
        assertThat(engines.missing("demo", false)).isEmpty();
        assertThat(engines.missing("gardener", false)).isEmpty();
    }
}
