package dev.ash.server.session.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.server.session.engine.Engines.Availability;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnginesTest {
    private static final Availability THERE = new Availability(true, true);
    private static final Availability WITHOUT_KEY = new Availability(true, false);

    private static Engines engines(String wish, Availability claude, Availability codex) {
        return new Engines(
                wish,
                Map.of(EngineProfiles.CLAUDE.name(), claude, EngineProfiles.CODEX.name(), codex));
    }

    @Test
    void autoIsClaudeThenCodexThenTheDemo() {
        assertThat(engines("auto", THERE, THERE).chooseDefault()).hasToString("claude");
        assertThat(engines("auto", WITHOUT_KEY, THERE).chooseDefault()).hasToString("codex");
        assertThat(engines("auto", Availability.NOTHING, THERE).chooseDefault())
                .hasToString("codex");
        assertThat(engines("auto", WITHOUT_KEY, WITHOUT_KEY).chooseDefault()).hasToString("demo");
        assertThat(engines("auto", Availability.NOTHING, Availability.NOTHING).chooseDefault())
                .hasToString("demo");
        assertThat(engines("codex", THERE, Availability.NOTHING).chooseDefault())
                .hasToString("codex");
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
        assertThat(engines("auto", Availability.NOTHING, Availability.NOTHING).available())
                .containsExactly("demo");
    }

    @Test
    void namesTheMissingProgramOrKey() {
        var engines = engines("auto", Availability.NOTHING, WITHOUT_KEY);

        assertThat(engines.missingRequirement("claude-code", true).orElseThrow())
                .contains("\"claude\"", "npm install -g @anthropic-ai/claude-code");
        assertThat(engines.missingRequirement("codex", false).orElseThrow())
                .contains("OPENAI_API_KEY");
        assertThat(engines.missingRequirement("codex", true)).as("its agent has a key").isEmpty();
        assertThat(engines.missingRequirement("demo", false)).isEmpty();
        assertThat(engines.missingRequirement("gardener", false)).isEmpty();
    }
}
