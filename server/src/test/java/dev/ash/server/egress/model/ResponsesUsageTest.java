package dev.ash.server.egress.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.engine.ModelProvider;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Tests metering of responses of the Responses API. */
class ResponsesUsageTest {
    private static final Prices PRICES =
            PriceTable.builtIn().of(ModelProvider.OPENAI).countingUnknownModels(false);
    private static final ModelUsage ESTIMATE =
            new ModelUsage("gpt-x", 5000, 0, 0, 9000, 0, false, false);

    private static final String EVENTS =
            """
            event: response.created
            data: {"type":"response.created","response":{"id":"r","model":"gpt-x","usage":null}}

            event: response.output_text.delta
            data: {"type":"response.output_text.delta","delta":"\\"usage\\":{\\"input_tokens\\":999999}"}

            event: response.completed
            data: {"type":"response.completed","response":{"id":"r","model":"gpt-x","output":[{"text":"%s","usage":{"input_tokens":7}}],"usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":20},"output_tokens":30,"output_tokens_details":{"reasoning_tokens":5}}}}

            """
                    .formatted("long ".repeat(40_000));

    @Property(tries = 30)
    void countsTokensForEverySplitOfTheEvents(@ForAll @IntRange(min = 1, max = 4000) int piece) {
        var meter = UsageMeter.ofEvents();

        feed(meter, EVENTS, piece);

        assertThat(meter.isComplete()).isTrue();
        assertThat(meter.usage(PRICES, ESTIMATE).orElseThrow())
                .as("a model without a price is free")
                .isEqualTo(new ModelUsage("gpt-x", 100, 0, 20, 30, 0, false, true));
    }

    @Test
    void estimatesTruncatedResponsesFromTheirLength() {
        var meter = UsageMeter.ofEvents();

        feed(meter, EVENTS.substring(0, EVENTS.indexOf("event: response.completed")), 100);

        var usage = meter.usage(PRICES, ESTIMATE).orElseThrow();
        assertThat(usage.complete()).isFalse();
        assertThat(usage.input()).isEqualTo(5000);
        assertThat(usage.output()).isPositive();
    }

    private static void feed(UsageMeter meter, String text, int piece) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < bytes.length; from += piece) {
            var part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + piece));
            meter.accept(part, part.length);
        }
    }
}
