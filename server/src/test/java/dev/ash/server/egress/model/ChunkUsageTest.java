package dev.ash.server.egress.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ash.protocol.engine.ModelProvider;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests metering of responses of the Chat Completions API and of Google's API. */
class ChunkUsageTest {
    private static final Prices OPENAI = PriceTable.builtIn().of(ModelProvider.OPENAI);
    private static final Prices GOOGLE = PriceTable.builtIn().of(ModelProvider.GOOGLE);
    private static final ModelUsage ESTIMATE =
            new ModelUsage("gpt-5.2", 7000, 0, 0, 9000, 1, true, false);

    private static final String CHAT =
            """
            data: {"id":"c","object":"chat.completion.chunk","model":"gpt-5.2-2025-12-11","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

            data: {"id":"c","object":"chat.completion.chunk","model":"gpt-5.2-2025-12-11","choices":[{"index":0,"delta":{"content":"\\"usage\\":{\\"prompt_tokens\\":999999}"},"finish_reason":null}],"usage":null}

            data: {"id":"c","object":"chat.completion.chunk","model":"gpt-5.2-2025-12-11","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

            """;

    private static final String CHAT_USAGE =
            """
            data: {"id":"c","object":"chat.completion.chunk","model":"gpt-5.2-2025-12-11","choices":[],"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":20,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":10}}}

            """;

    private static final String DONE = "data: [DONE]\n\n";

    private static final String GEMINI_START =
            """
            data: {"candidates":[{"content":{"role":"model","parts":[{"text":"thinking {\\"usageMetadata\\":{\\"promptTokenCount\\":9}}","thought":true}]},"index":0}],"usageMetadata":{"promptTokenCount":100,"totalTokenCount":140,"thoughtsTokenCount":40},"modelVersion":"gemini-2.5-pro","responseId":"r"}

            """;

    private static final String GEMINI_END =
            """
            data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"usageMetadata":{"promptTokenCount":5}}}}]},"finishReason":"STOP","index":0,"groundingMetadata":{"webSearchQueries":["a","b"]}}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":25,"totalTokenCount":175,"cachedContentTokenCount":60,"thoughtsTokenCount":40,"toolUsePromptTokenCount":10,"promptTokensDetails":[{"modality":"TEXT","tokenCount":100}]},"modelVersion":"gemini-2.5-pro","responseId":"r"}

            """;

    @Property(tries = 100)
    void countsChatChunksInEverySplit(@ForAll @IntRange(min = 1, max = 500) int piece) {
        var meter = UsageMeter.ofEvents();

        feed(meter, CHAT + CHAT_USAGE + DONE, piece);

        assertThat(meter.isComplete()).isTrue();
        var usage = meter.usage(OPENAI, ESTIMATE).orElseThrow();
        assertThat(usage.costUsd())
                .isCloseTo((100 * 1.75 + 20 * 0.175 + 30 * 14) / 1e6, within(1e-12));
        assertThat(usage)
                .isEqualTo(
                        new ModelUsage(
                                "gpt-5.2-2025-12-11", 100, 0, 20, 30, usage.costUsd(), true, true));
    }

    @Property(tries = 100)
    void countsGoogleChunksInEverySplit(@ForAll @IntRange(min = 1, max = 500) int piece) {
        var meter = UsageMeter.ofEvents();

        feed(meter, GEMINI_START + GEMINI_END, piece);

        var usage = meter.usage(GOOGLE, ESTIMATE).orElseThrow();
        assertThat(usage.costUsd())
                .isCloseTo((50 * 1.25 + 60 * 0.125 + 65 * 10) / 1e6 + 2 * 0.035, within(1e-12));
        assertThat(usage)
                .isEqualTo(
                        new ModelUsage(
                                "gemini-2.5-pro", 50, 0, 60, 65, usage.costUsd(), true, true));
    }

    @Test
    void chargesEstimateIfCompleteChatStreamShowsNoUsage() {
        assertThat(usage(OPENAI, CHAT + DONE)).contains(ESTIMATE);
        assertThat(usage(OPENAI, CHAT)).contains(ESTIMATE);
    }

    @Test
    void chargesInputAndStreamedOutputIfChatStreamIsTruncated() {
        var chunk =
                "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"gpt-5.2\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":null}]}\n\n"
                        .formatted("word ".repeat(60));

        var usage = usage(OPENAI, chunk.repeat(10)).orElseThrow();

        assertThat(usage.complete()).isFalse();
        assertThat(usage.input()).isEqualTo(7000);
        assertThat(usage.output()).isBetween(600L, 1500L);
    }

    @Test
    void chargesKnownCountsIfGoogleStreamIsTruncated() {
        var usage = usage(GOOGLE, GEMINI_START).orElseThrow();

        assertThat(usage.complete()).isFalse();
        assertThat(usage.input()).isEqualTo(100);
        assertThat(usage.output()).isGreaterThanOrEqualTo(40);
    }

    @Test
    void usesCumulativeUsageOfChunks() {
        var first = CHAT_USAGE.replace("\"choices\":[]", "\"choices\":[{\"delta\":{}}]");
        var partial = first.replace("\"completion_tokens\":30", "\"completion_tokens\":3");

        assertThat(usage(OPENAI, partial.replace("150", "123") + CHAT + CHAT_USAGE + DONE))
                .hasValueSatisfying(
                        usage -> {
                            assertThat(usage.output()).isEqualTo(30);
                            assertThat(usage.complete()).isTrue();
                        });
        assertThat(usage(OPENAI, partial.replace("150", "123")).orElseThrow().complete()).isFalse();
    }

    @Test
    void countsReasoningThatIsOnlyInTotal() {
        var usage = usage(OPENAI, CHAT + CHAT_USAGE.replace("150", "900") + DONE).orElseThrow();

        assertThat(usage.output()).isEqualTo(780);
    }

    @Test
    void countsInputWrittenToCache() {
        var written =
                CHAT_USAGE
                        .replace("\"audio_tokens\":0", "\"cache_write_tokens\":50")
                        .replace("gpt-5.2-2025-12-11", "gpt-6-sol");

        var usage = usage(OPENAI, CHAT + written + DONE).orElseThrow();

        assertThat(usage.input()).isEqualTo(50);
        assertThat(usage.cacheCreation()).isEqualTo(50);
        assertThat(usage.costUsd())
                .isCloseTo((50 * 2 + 50 * 2.5 + 20 * 0.2 + 30 * 10) / 1e6, within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"error\":{\"message\":\"no\",\"code\":500}}\n\n",
                "data: {\"error\":{\"message\":\"no\"}}\n\ndata: [DONE]\n\n",
            })
    void chargesNothingForErrorBeforeFirstChunk(String events) {
        assertThat(usage(OPENAI, events)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"object\":\"chat.completion\",\"model\":\"gpt-5.2\",\"choices\":[{\"message\":{\"content\":\"x\",\"usage\":{\"prompt_tokens\":9}},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":20}}",
                "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}],\"modelVersion\":\"gpt-5.2\",\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":15,\"thoughtsTokenCount\":5}}",
            })
    void countsObjects(String object) {
        var meter = UsageMeter.ofObject();

        feed(meter, object, 7);

        assertThat(meter.usage(OPENAI, ESTIMATE).orElseThrow())
                .extracting(ModelUsage::model, ModelUsage::input, ModelUsage::output)
                .containsExactly("gpt-5.2", 10L, 20L);
    }

    @Test
    void countsWebSearchesOfResponses() {
        var event =
                "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"gpt-5.2\",\"output\":[{\"type\":\"web_search_call\",\"action\":{\"type\":\"web_search_call\"}},{\"type\":\"message\"},{\"type\":\"web_search_call\"}],\"usage\":{\"input_tokens\":0,\"output_tokens\":0}}}\n\n";

        assertThat(usage(OPENAI, event).orElseThrow().costUsd()).isCloseTo(0.02, within(1e-12));
    }

    private static Optional<ModelUsage> usage(Prices prices, String events) {
        var meter = UsageMeter.ofEvents();
        feed(meter, events, 97);
        return meter.usage(prices, ESTIMATE);
    }

    private static void feed(UsageMeter meter, String text, int piece) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < bytes.length; from += piece) {
            var part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + piece));
            meter.accept(part, part.length);
        }
    }
}
