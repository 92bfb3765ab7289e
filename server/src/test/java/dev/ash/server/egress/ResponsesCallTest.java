package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls of engines that speak the Responses API. */
@Timeout(60)
class ResponsesCallTest {
    private static final Pricing PRICING = new Pricing(Prices.load(), false);
    private static final Usage ESTIMATE = new Usage("gpt-x", 5000, 0, 0, 9000, 0, false, false);

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
    void tokensAreCountedHoweverTheEventsAreCut(@ForAll @IntRange(min = 1, max = 4000) int piece) {
        var meter = UsageMeter.ofEvents();

        feed(meter, EVENTS, piece);

        assertThat(meter.complete()).isTrue();
        assertThat(meter.usage(PRICING, ESTIMATE).orElseThrow())
                .as("a price that is not known is none")
                .isEqualTo(new Usage("gpt-x", 100, 0, 20, 30, 0, false, true));
    }

    @Test
    void anAnswerThatBreaksOffIsEstimatedFromWhatWasSent() {
        var meter = UsageMeter.ofEvents();

        feed(meter, EVENTS.substring(0, EVENTS.indexOf("event: response.completed")), 100);

        var usage = meter.usage(PRICING, ESTIMATE).orElseThrow();
        assertThat(usage.whole()).isFalse();
        assertThat(usage.input()).isEqualTo(5000);
        assertThat(usage.output()).isPositive();
    }

    private static void feed(UsageMeter meter, String text, int piece) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < bytes.length; from += piece) {
            var part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + piece));
            meter.piece(part, part.length);
        }
    }

    private static TestProxy proxy(TestUpstream upstream) throws IOException {
        var proxy = TestProxy.ofModel(upstream);
        proxy.api = ModelApi.OPENAI;
        proxy.model =
                Optional.of(
                        new ModelAccess(
                                URI.create(
                                        "http://127.0.0.1:%d/base/v1".formatted(upstream.port())),
                                new ModelCredential.AuthToken("sk-real")));
        proxy.proxies.open(proxy.sandbox, proxy.setup(List.of()));
        return proxy;
    }

    private static String request(TestProxy proxy, String method, String path) {
        return "%s %s HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\nContent-Length: 15\r\n\r\n{\"store\":false}"
                .formatted(method, path, proxy.placeholder());
    }

    @Test
    void theKeyIsSwappedAndTheCallGoesBelowTheBaseUrl() throws IOException {
        try (var upstream = TestUpstream.saying("{}");
                var proxy = proxy(upstream)) {
            assertThat(proxy.ask(request(proxy, "POST", "/v1/responses")).status()).isEqualTo(200);

            var seen = upstream.seen().getFirst();
            assertThat(seen.target()).isEqualTo("/base/v1/responses");
            assertThat(seen.headers().values("authorization")).containsExactly("Bearer sk-real");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/messages",
        "POST, /v1/responses/compact",
        "GET, /v1/responses/r_1",
        "POST, /v1/chat/completions",
        "GET, /v1/files",
        "POST, /v1/responses/../files"
    })
    void nothingElseOfTheApiIsOpen(String method, String path) throws IOException {
        try (var upstream = TestUpstream.saying("{}");
                var proxy = proxy(upstream)) {
            var answer = proxy.ask(request(proxy, method, path));

            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).contains("POST /v1/responses and GET /v1/models");
            assertThat(upstream.seen()).isEmpty();
        }
    }

    @Test
    void aBudgetThatIsUsedUpRefusesTheCallBeforeItIsMade() throws IOException {
        try (var upstream = TestUpstream.saying("{}");
                var proxy = proxy(upstream)) {
            proxy.overBudget = Optional.of("no more");

            var answer = proxy.ask(request(proxy, "POST", "/v1/responses"));

            assertThat(answer.status()).isEqualTo(402);
            assertThat(upstream.seen()).isEmpty();
        }
    }
}
