package dev.ash.server.egress.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ash.protocol.engine.ModelProvider;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests metering of responses of the Messages API, and prices. */
public class UsageMeterTest {
    private static final Prices PRICES = PriceTable.builtIn().of(ModelProvider.ANTHROPIC);
    private static final ModelUsage ESTIMATE =
            new ModelUsage("m", 7000, 0, 0, 9000, 1, true, false);

    public static final String EVENTS =
            """
            event: message_start
            data: {"type":"message_start","message":{"id":"m","model":"claude-sonnet-4-5-20250929","content":[],"usage":{"input_tokens":100,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"cache_read_input_tokens":1000,"output_tokens":1}}}

            event: content_block_delta
            data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\"usage\\":{\\"input_tokens\\":999999}"}}

            event: message_delta
            data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50,"server_tool_use":{"web_search_requests":2}}}

            event: message_stop
            data: {"type":"message_stop"}

            """;

    public static final String OBJECT =
            """
            {"id":"m","type":"message","model":"claude-haiku-4-5","content":[{"type":"text","text":"{\\"usage\\":{\\"output_tokens\\":7}}"},
             {"type":"tool_use","input":{"usage":{"input_tokens":5000,"output_tokens":5000},"model":"claude-opus-4"}}],
             "usage":{"input_tokens":10,"output_tokens":20,"cache_read_input_tokens":0}}
            """;

    private static final double SONNET =
            (100 * 3 + 10 * 3.75 + 20 * 6 + 1000 * 0.3 + 50 * 15) / 1e6 + 0.02;

    @Property(tries = 100)
    void countsEventsInEverySplit(@ForAll @IntRange(min = 1, max = 400) int piece) {
        var meter = UsageMeter.ofEvents();

        feed(meter, EVENTS, piece);

        assertThat(meter.isComplete()).isTrue();
        var usage = usage(meter);
        assertThat(usage.costUsd()).isCloseTo(SONNET, within(1e-12));
        assertThat(usage)
                .isEqualTo(
                        new ModelUsage(
                                "claude-sonnet-4-5-20250929",
                                100,
                                30,
                                1000,
                                50,
                                usage.costUsd(),
                                true,
                                true));
    }

    @Property(tries = 100)
    void countsObjectInEverySplit(@ForAll @IntRange(min = 1, max = 400) int piece) {
        var meter = UsageMeter.ofObject();

        feed(meter, OBJECT, piece);

        assertThat(meter.isComplete()).isTrue();
        var usage = usage(meter);
        assertThat(usage.costUsd()).isCloseTo(110 / 1e6, within(1e-12));
        assertThat(usage)
                .isEqualTo(
                        new ModelUsage(
                                "claude-haiku-4-5", 10, 0, 0, 20, usage.costUsd(), true, true));
    }

    @Test
    void estimatesTruncatedResponsesFromTheirLength() {
        var meter = UsageMeter.ofEvents();
        var delta =
                "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\""
                        + "word ".repeat(60)
                        + "\"}}\n\n";

        feed(meter, EVENTS.substring(0, EVENTS.indexOf("event: content")) + delta.repeat(10), 100);

        var usage = usage(meter);
        assertThat(usage.complete()).isFalse();
        assertThat(usage.input()).isEqualTo(100);
        assertThat(usage.output()).isBetween(600L, 1500L);
    }

    @Test
    void skipsLongLines() {
        var meter = UsageMeter.ofEvents();
        int delta = EVENTS.indexOf("event: content");

        feed(
                meter,
                EVENTS.substring(0, delta) + "data: {\"type\":\"content_block_start\",\"x\":\"",
                999);
        for (int i = 0; i < 100; i++) {
            feed(meter, "x".repeat(100_000), 16_000);
        }
        feed(meter, "\"}\n\n" + EVENTS.substring(delta), 999);

        assertThat(usage(meter).output()).isEqualTo(50);
        assertThat(usage(meter).complete()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[[[[",
                "not json",
                "{\"usage\":{\"input_tokens\":1e999}}",
                "{\"usage\":5}",
                "{\"usage\":{\"input_tokens\":-5}}",
                "{\"usage\":{\"input_tokens\":99999999999999999999999}}",
                "\u0000\u0001",
                "}{"
            })
    void ignoresMalformedInput(String noise) {
        feed(UsageMeter.ofObject(), noise, 1);
        var events = UsageMeter.ofEvents();
        feed(events, "data: " + noise + "\ndata:\n\n" + EVENTS, 7);

        assertThat(usage(events).output()).isEqualTo(50);
    }

    @Test
    void chargesUnknownModelsLikeTheMostExpensive() {
        var tokens = new TokenCounts(1_000_000, 0, 0, 0, 1_000_000, 0);

        assertThat(PRICES.hasPrice("claude-opus-4-1-20250805")).isTrue();
        assertThat(PRICES.cost("claude-opus-4-1-20250805", tokens)).isEqualTo(90);
        assertThat(PRICES.cost("claude-opus-4-5-20251101", tokens)).isEqualTo(30);
        assertThat(PRICES.hasPrice("unknown-model")).isFalse();
        assertThat(PRICES.cost("unknown-model", tokens)).isEqualTo(90);
        assertThat(PRICES.hasPrice("claude-opus-40")).isFalse();
    }

    @Test
    void appliesHigherPriceToLongPrompts() {
        var tokens = new TokenCounts(1_000_000, 0, 0, 0, 0, 0);

        assertThat(PRICES.cost("claude-haiku-5-5", tokens)).isEqualTo(0.5);
        assertThat(PRICES.cost("claude-haiku-5-5", new TokenCounts(100_000, 0, 0, 0, 0, 0)))
                .isCloseTo(0.01, within(1e-12));
    }

    private static ModelUsage usage(UsageMeter meter) {
        return meter.usage(PRICES, ESTIMATE).orElseThrow();
    }

    private static void feed(UsageMeter meter, String text, int piece) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i += piece) {
            var part = Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + piece));
            meter.accept(part, part.length);
        }
    }
}
