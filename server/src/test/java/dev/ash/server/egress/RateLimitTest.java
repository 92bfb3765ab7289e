package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests calls that the model API rejects with 429. */
@Timeout(60)
class RateLimitTest {
    private static final String BODY = "{\"store\":false,\"model\":\"gpt-5.2\"}";
    private static final String OK =
            "{\"model\":\"gpt-5.2\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}";

    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();

    private static String rejection(String header) {
        return "HTTP/1.1 429 Slow down\r\n" + header + "Content-Length: 4\r\n\r\nslow";
    }

    /** Rejects the first calls with this response. */
    private TestUpstream rejecting(int calls, String response) throws IOException {
        return TestUpstream.start(
                (_, body, out) -> {
                    bodies.add(new String(body.readAllBytes()));
                    if (bodies.size() <= calls) {
                        TestUpstream.write(out, response);
                    } else {
                        TestUpstream.respond(out, OK);
                    }
                });
    }

    private static TestProxy proxy(TestUpstream upstream) throws IOException {
        var proxy = TestProxy.allowing();
        proxy.use(ModelApi.OPENAI, upstream, "/v1", new ModelCredential.AuthToken("sk-real"));
        return proxy;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Retry-After: 0\r\n", "retry-after-ms: 1\r\n", "Retry-After: 0.001\r\n"})
    void repeatsCallAfterStatedTime(String header) throws IOException {
        try (var upstream = rejecting(2, rejection(header));
                var proxy = proxy(upstream)) {
            var response = proxy.call("POST", "/v1/responses", BODY);

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(OK);
            assertThat(bodies).hasSize(3).containsOnly(BODY);
            assertThat(proxy.proxies.requestCounts().rateLimited()).isEqualTo(2);
            assertThat(proxy.estimates).as("one reservation").hasSize(1);
            await().untilAsserted(
                            () ->
                                    assertThat(proxy.usages)
                                            .singleElement()
                                            .satisfies(u -> assertThat(u.output()).isEqualTo(4)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Retry-After: 61\r\n",
                "Retry-After: -1\r\n",
                "Retry-After: Wed, 18 Nov 2026 20:00:00 GMT\r\n",
                "Retry-After: 1e99999999\r\n",
                "retry-after-ms: 99999999999999999999999\r\n"
            })
    void forwardsRejectionWithoutShortTime(String header) throws IOException {
        try (var upstream = rejecting(1, rejection(header));
                var proxy = proxy(upstream)) {
            var response = proxy.call("POST", "/v1/responses", BODY);

            assertThat(response.status()).isEqualTo(429);
            assertThat(response.body()).isEqualTo("slow");
            await().until(() -> proxy.inFlight.get() == 0);
            assertThat(proxy.usages).isEmpty();
        }
    }

    @Test
    void forwardsRejectionAfterLastRepetition() throws IOException {
        try (var upstream = rejecting(100, rejection("Retry-After: 0\r\n"));
                var proxy = proxy(upstream)) {
            assertThat(proxy.call("POST", "/v1/responses", BODY).status()).isEqualTo(429);

            assertThat(bodies).hasSize(6);
            await().until(() -> proxy.inFlight.get() == 0);
            assertThat(proxy.usages).isEmpty();
        }
    }

    @Test
    void forwardsRejectionToClientsThatRepeatThemselves() throws IOException {
        try (var upstream = rejecting(1, rejection("Retry-After: 0\r\n"));
                var proxy = proxy(upstream)) {
            assertThat(proxy.call("POST", "/v1/chat/completions", "{}").status()).isEqualTo(429);
        }
    }

    @Test
    void releasesReservationIfClientDisconnectsWhileWaiting() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.write(out, rejection("Retry-After: 50\r\n"));
                                });
                var proxy = proxy(upstream)) {
            try (var client = proxy.connect()) {
                client.send(
                        "POST /v1/responses HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                                .formatted(proxy.placeholder(), BODY.length(), BODY));
                await().until(() -> proxy.proxies.requestCounts().rateLimited() == 1);
            }

            await().atMost(Duration.ofSeconds(20)).until(() -> proxy.inFlight.get() == 0);
            assertThat(proxy.usages).isEmpty();
            assertThat(upstream.heads).hasSize(1);
        }
    }
}
