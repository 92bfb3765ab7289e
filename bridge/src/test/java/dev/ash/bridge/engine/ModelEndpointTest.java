package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.engine.ModelProvider;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelEndpointTest {
    @ParameterizedTest
    @CsvSource({
        "ANTHROPIC, https://api.anthropic.com",
        "OPENAI, https://api.openai.com",
        "GOOGLE, https://generativelanguage.googleapis.com"
    })
    void usesPublicApiOutsideOfSandboxes(ModelProvider provider, String origin) throws Exception {
        assertThat(ModelEndpoint.open(provider, Map.of()).origin()).isEqualTo(origin);
    }

    @Test
    void originHasNoVersion() throws Exception {
        var environment =
                Map.of("OPENAI_BASE_URL", "https://openrouter.ai/api/v1", "OPENAI_API_KEY", "k");

        var endpoint = ModelEndpoint.open(ModelProvider.OPENAI, environment);

        assertThat(endpoint.origin()).isEqualTo("https://openrouter.ai/api");
        assertThat(endpoint.openAiUrl()).isEqualTo("https://openrouter.ai/api/v1");
        assertThat(endpoint.keyVariable()).isEqualTo("OPENAI_API_KEY");
    }

    @Test
    void sandboxHasRelayAndPlaceholder() throws Exception {
        var environment =
                Map.of(
                        "ASH_MODEL_SOCKET", "/nowhere.sock",
                        "ASH_MODEL_KEY", "placeholder",
                        "GEMINI_API_KEY", "other");

        try (var endpoint = ModelEndpoint.open(ModelProvider.GOOGLE, environment)) {
            assertThat(endpoint.origin()).startsWith("http://127.0.0.1:");
            assertThat(endpoint.keyVariable()).isEqualTo("ASH_MODEL_KEY");
        }
        assertThat(ModelEndpoint.key(ModelProvider.GOOGLE, environment)).isEqualTo("placeholder");
    }
}
