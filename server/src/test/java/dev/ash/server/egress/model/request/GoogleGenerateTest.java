package dev.ash.server.egress.model.request;

import static dev.ash.server.egress.model.request.RequestCheckTest.check;
import static dev.ash.server.egress.model.request.RequestCheckTest.policy;
import static dev.ash.server.egress.model.request.RequestCheckTest.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which requests to Google's API pass; others are in the exfiltration list. */
class GoogleGenerateTest {
    private static final RequestPolicy GOOGLE = policy(RequestFormat.GOOGLE_GENERATE);

    private static CallSize size(String body) throws RequestRejectedException {
        return GOOGLE.checkBody(body.getBytes(StandardCharsets.UTF_8)).size();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"see https://a.b/ files/1\"}]}],\"systemInstruction\":{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]},\"generationConfig\":{\"temperature\":0,\"topP\":1,\"thinkingConfig\":{\"includeThoughts\":true,\"thinkingBudget\":8192}}}",
                "{\"system_instruction\":{\"parts\":[{\"text\":\"x\"}]},\"generation_config\":{\"max_output_tokens\":5,\"response_json_schema\":{\"url\":\"https://a.b\"},\"thinking_config\":{\"thinking_level\":\"low\"}}}",
                "{\"contents\":[{\"role\":\"model\",\"parts\":[{\"text\":\"t\",\"thought\":true,\"thoughtSignature\":\"AA==\"},{\"functionCall\":{\"id\":\"1\",\"name\":\"run_shell_command\",\"args\":{\"url\":\"https://a.b\"}},\"thought_signature\":\"AA==\"}]},{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"id\":\"1\",\"name\":\"run_shell_command\",\"response\":{\"output\":\"https://a.b\"},\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA==\"}}]}}]}]}",
                "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"fetch\",\"description\":\"d\",\"parametersJsonSchema\":{\"properties\":{\"file_uri\":{}}},\"parameters\":{}}]}],\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"AUTO\",\"allowedFunctionNames\":[\"fetch\"]}}}",
                "{\"contents\":[{\"parts\":[{\"inline_data\":{\"mime_type\":\"application/pdf\",\"data\":\"AA==\"}},{\"fileData\":null}]}],\"cachedContent\":null,\"safetySettings\":[{\"category\":\"a\",\"threshold\":\"b\"}]}",
                "{\"generateContentRequest\":{\"model\":\"models/gemini-2.5-pro\",\"contents\":[{\"parts\":[{\"text\":\"x\"}]}]}}",
            })
    void acceptsRequestsOfEngines(String body) throws RequestRejectedException {
        assertThat(check(with(GOOGLE, true), body)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"tools\":[{\"googleSearch\":{}}]}', web_search",
        "'{\"tools\":[{\"google_search\":{\"exclude_domains\":[\"a.b\"]}}]}', web_search",
        "'{\"tools\":[{\"urlContext\":{}}]}', web_fetch",
        "'{\"tools\":[{\"code_execution\":{}}]}', code_execution",
        "'{\"contents\":[{\"parts\":[{\"executableCode\":{\"code\":\"x\"}}]}]}', code_execution",
    })
    void requiresGrantForProviderTools(String body, String tool) throws RequestRejectedException {
        assertThatThrownBy(() -> check(GOOGLE, body))
                .hasMessageContaining("the tool " + tool + ",")
                .hasMessageContaining("network.providerTools");
        assertThat(check(with(GOOGLE, true, tool), body)).isEmpty();
    }

    @Test
    void rejectsUnknownFieldsWhereTheNameSelectsAnAction() throws RequestRejectedException {
        assertThatThrownBy(() -> check(GOOGLE, "{\"tools\":[{\"newThing\":{}}]}"))
                .hasMessageContaining("tools[0].newThing: unknown field; no setting allows it");
        assertThat(check(GOOGLE, "{\"newThing\":{},\"contents\":[{\"mood\":1}]}")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"generationConfig\":{\"maxOutputTokens\":500}}', 500",
        "'{\"generation_config\":{\"max_output_tokens\":500,\"candidate_count\":3}}', 1500",
        "'{\"generationConfig\":{\"maxOutputTokens\":1},\"generation_config\":{\"maxOutputTokens\":500}}', 500",
        "'{}', 0",
    })
    void estimatesOutput(String body, long tokens) throws RequestRejectedException {
        assertThat(size(body).maxOutputTokens()).isEqualTo(tokens);
    }

    @Test
    void estimatesInputAndSearches() throws RequestRejectedException {
        var data = "A".repeat(100_000);
        var image =
                "{\"contents\":[{\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"%s\"}}]}]}"
                        .formatted(data);
        var search = "{\"tools\":[{\"google_search\":{}}]}";

        assertThat(size(image).inputTokens()).isBetween(5_000L, 5_100L);
        assertThat(size(image.replace("image/png", "application/pdf")).inputTokens())
                .isGreaterThan(350_000);
        var granted = with(GOOGLE, true, ProviderTools.WEB_SEARCH);
        assertThat(granted.checkBody(search.getBytes(StandardCharsets.UTF_8)).size().searches())
                .isEqualTo(10);
        assertThat(size("{}").withModel("gemini-2.5-pro").model()).isEqualTo("gemini-2.5-pro");
    }
}
