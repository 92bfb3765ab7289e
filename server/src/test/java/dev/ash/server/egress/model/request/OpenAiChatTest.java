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

/** Tests which requests to the Chat Completions API pass; others are in the exfiltration list. */
class OpenAiChatTest {
    private static final RequestPolicy CHAT = policy(RequestFormat.OPENAI_CHAT);

    private static CallSize size(String body) throws RequestRejectedException {
        return CHAT.checkBody(body.getBytes(StandardCharsets.UTF_8)).size();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"model\":\"gpt-5.2\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"max_tokens\":32000,\"tool_choice\":\"auto\"}",
                "{\"model\":\"o3-deep-research\",\"store\":false,\"n\":1,\"stop\":[\"a\"],\"logit_bias\":{\"50256\":-100}}",
                "{\"messages\":[{\"role\":\"system\",\"content\":\"see https://a.b/ file-1\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"https://a.b/\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA==\",\"detail\":\"low\"}}]}]}",
                "{\"messages\":[{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"url\\\":\\\"https://a.b\\\"}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"https://a.b\"}]}",
                "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"fetch\",\"description\":\"gets https://a.b\",\"strict\":false,\"parameters\":{\"properties\":{\"server_url\":{\"type\":\"string\"}}}}}]}",
                "{\"tools\":[{\"type\":\"custom\",\"custom\":{\"name\":\"patch\",\"format\":{\"type\":\"grammar\",\"grammar\":{\"syntax\":\"lark\",\"definition\":\"x\"}}}}],\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"patch\"}}}",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"file\":{\"filename\":\"a.pdf\",\"file_data\":\"data:application/pdf;base64,AA==\"}},{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"//uQAA\",\"format\":\"mp3\"}}]}]}",
                "{\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"s\",\"strict\":true,\"schema\":{\"a\":\"https://a.b\"}}}}",
                "{\"model\":\"anthropic/claude-sonnet-4.5\",\"usage\":{\"include\":true},\"reasoning\":{\"effort\":\"high\"},\"store\":null}",
            })
    void acceptsRequestsOfEngines(String body) throws RequestRejectedException {
        assertThat(check(with(CHAT, true), body)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"gpt-4o-search-preview\"}",
                "{\"model\":\"x/y:online\",\"web_search_options\":{\"search_context_size\":\"low\"}}",
                "{\"search_parameters\":{\"mode\":\"auto\"}}",
                "{\"tools\":[{\"type\":\"web_search\"}]}",
            })
    void requiresGrantForWebSearch(String body) throws RequestRejectedException {
        assertThatThrownBy(() -> check(CHAT, body))
                .hasMessageContaining("web_search")
                .hasMessageContaining("ASH_PROVIDER_TOOLS");
        assertThat(check(with(CHAT, true, ProviderTools.WEB_SEARCH), body)).isEmpty();
    }

    @Test
    void countsUnknownFieldsUnlessStrict() throws RequestRejectedException {
        var body =
                "{\"provider\":{\"order\":[\"a\"]},\"messages\":[{\"role\":\"user\",\"mood\":1}]}";

        assertThat(check(CHAT, body)).containsExactlyInAnyOrder("provider", "messages[0].mood");
        assertThatThrownBy(() -> check(with(CHAT, true), body))
                .hasMessageContaining("ASH_MODEL_REQUESTS=strict");
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"max_tokens\":500}', 500",
        "'{\"max_completion_tokens\":700,\"max_tokens\":500}', 700",
        "'{\"max_tokens\":500,\"n\":4}', 2000",
        "'{\"max_tokens\":500,\"n\":-4}', 500",
        "'{\"max_tokens\":1e300,\"n\":1e300}', 1000000",
        "'{\"n\":3}', 0",
    })
    void estimatesOutputOfAllChoices(String body, long tokens) throws RequestRejectedException {
        assertThat(size(body).maxOutputTokens()).isEqualTo(tokens);
    }

    @Test
    void countsImagesAndDocumentsByItem() throws RequestRejectedException {
        var data = "A".repeat(100_000);
        var image =
                "{\"messages\":[{\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,%s\"}}]}]}"
                        .formatted(data);
        var file =
                "{\"messages\":[{\"content\":[{\"type\":\"file\",\"file\":{\"file_data\":\"%s\"}}]}]}"
                        .formatted(data);

        assertThat(size(image).inputTokens()).isBetween(5_000L, 5_100L);
        assertThat(size(file).inputTokens()).isGreaterThan(350_000);
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"service_tier\":\"priority\"}', true",
        "'{\"service_tier\":\"fast\"}', true",
        "'{\"serviceTier\":\"priority\"}', true",
        "'{\"service_tier\":\"flex\"}', false",
        "'{\"service_tier\":\"auto\"}', false",
        "'{}', false",
    })
    void recognizesFasterTiers(String body, boolean expected) throws RequestRejectedException {
        assertThat(size(body).isPriority()).isEqualTo(expected);
    }
}
