package dev.ash.server.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentEnvironmentTest {
    @ParameterizedTest
    @CsvSource({
        "ANTHROPIC_API_KEY, sandboxes hold no keys",
        "OPENAI_API_KEY, sandboxes hold no keys",
        "GEMINI_API_KEY, sandboxes hold no keys",
        "OPENAI_BASE_URL, sandboxes hold no keys",
        "CLAUDE_CODE_USE_BEDROCK, selects Amazon Bedrock",
        "CLAUDE_CODE_USE_VERTEX, selects Google Vertex AI",
        "GOOGLE_GENAI_USE_VERTEXAI, selects Google Vertex AI",
        "ASH_MODEL_KEY, reserved for the sandbox",
    })
    void rejectsVariablesOfModels(String name, String problem) {
        assertThatThrownBy(() -> AgentEnvironment.check("extraEnv", Map.of(name, "1")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("extraEnv")
                .hasMessageContaining(name)
                .hasMessageContaining(problem);
    }

    @Test
    void acceptsOtherVariables() {
        var env = Map.of("AWS_ACCESS_KEY_ID", "AKIA", "CLAUDE_CODE_USE_VERTEX", "0");

        assertThat(AgentEnvironment.check("env", env)).isEqualTo(env);
    }
}
