package dev.ash.protocol.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CloudPlatformTest {
    @ParameterizedTest
    @CsvSource({
        "CLAUDE_CODE_USE_BEDROCK, Amazon Bedrock",
        "AWS_BEARER_TOKEN_BEDROCK, Amazon Bedrock",
        "CLAUDE_CODE_USE_VERTEX, Google Vertex AI",
        "GOOGLE_GENAI_USE_VERTEXAI, Google Vertex AI",
        "CLAUDE_CODE_USE_FOUNDRY, Microsoft Foundry",
        "GOOGLE_GENAI_USE_GCA, a login at Google",
    })
    void rejectsVariablesThatSelectPlatform(String name, String product) {
        assertThat(CloudPlatform.rejection(Map.of(name, "1", "PATH", "/bin")))
                .hasValueSatisfying(
                        why ->
                                assertThat(why)
                                        .startsWith("%s selects %s, which".formatted(name, product))
                                        .contains("ANTHROPIC_BASE_URL"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "0", "false", "FALSE", "off"})
    void acceptsVariablesThatAreOff(String value) {
        assertThat(CloudPlatform.rejection(Map.of("CLAUDE_CODE_USE_VERTEX", value))).isEmpty();
    }

    @Test
    void acceptsCredentialsThatToolsMayUse() {
        assertThat(CloudPlatform.rejection(Map.of("AWS_ACCESS_KEY_ID", "AKIA"))).isEmpty();
    }
}
