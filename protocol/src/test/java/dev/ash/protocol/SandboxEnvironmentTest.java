package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxEnvironmentTest {
    @Test
    void inheritsSevenVariablesFromHost() {
        assertThat(SandboxEnvironment.FROM_HOST)
                .containsExactlyInAnyOrder(
                        "PATH",
                        "NODE_PATH",
                        "HOME",
                        "LANG",
                        "TERM",
                        "ANTHROPIC_API_KEY",
                        "ASH_DEBUG_TIMING");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "A=B",
                "A\0",
                "PATH",
                "HOME",
                "NODE_OPTIONS",
                "JAVA_TOOL_OPTIONS",
                "ASH_SESSION_ID",
                "ASH_ANYTHING",
                "LD_PRELOAD",
                "LD_LIBRARY_PATH",
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_BASE_URL",
                "OPENAI_API_KEY",
                "GEMINI_API_KEY"
            })
    void rejectsReservedNames(String name) {
        assertThat(SandboxEnvironment.isSettableByClients(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DATABASE_URL", "PATHS", "MY_LD_PRELOAD", "é"})
    void acceptsOtherNames(String name) {
        assertThat(SandboxEnvironment.isSettableByClients(name)).isTrue();
    }
}
