package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.Resolver;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.egress.model.UsageMeterTest;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every call with a response is settled, regardless of its client's behavior. */
@Timeout(60)
class MeteredCallTest {
    private static final String BODY =
            "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":1000,\"messages\":[]}";
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    private static final int DELTA = UsageMeterTest.EVENTS.indexOf("event: message_delta");

    private static final EgressLimits SHORT_DRAIN =
            new EgressLimits(
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMillis(20),
                    64,
                    Duration.ofMillis(300));

    private static TestUpstream streaming(CountDownLatch before, CountDownLatch within)
            throws IOException {
        return TestUpstream.start(
                (_, body, out) -> {
                    body.readAllBytes();
                    await(before);
                    TestUpstream.write(out, HEAD + UsageMeterTest.EVENTS.substring(0, DELTA));
                    await(within);
                    TestUpstream.write(out, UsageMeterTest.EVENTS.substring(DELTA));
                });
    }

    @Test
    void readsResponseForClientThatDisconnectedBeforeIt() throws IOException {
        var disconnected = new CountDownLatch(1);
        try (var upstream = streaming(disconnected, new CountDownLatch(0));
                var proxy = TestProxy.forModel(upstream)) {
            try (var client = proxy.connect()) {
                client.send(proxy.modelCall(BODY));
                awaitCall(upstream);
            }
            disconnected.countDown();

            assertThat(settledUsage(proxy))
                    .extracting(ModelUsage::output, ModelUsage::complete)
                    .containsExactly(50L, true);
        }
    }

    @Test
    void readsRestOfResponseForClientThatDisconnectedWithinIt() throws IOException {
        var disconnected = new CountDownLatch(1);
        try (var upstream = streaming(new CountDownLatch(0), disconnected);
                var proxy = TestProxy.forModel(upstream)) {
            try (var client = proxy.connect()) {
                client.send(proxy.modelCall(BODY));
                client.head();
            }
            disconnected.countDown();

            assertThat(settledUsage(proxy))
                    .extracting(ModelUsage::output, ModelUsage::complete)
                    .containsExactly(50L, true);
        }
    }

    @Test
    void readsResponseAfterSandboxHasEnded() throws IOException {
        var ended = new CountDownLatch(1);
        try (var upstream = streaming(ended, new CountDownLatch(0));
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall(BODY));
            awaitCall(upstream);
            proxy.proxies.close(proxy.sandbox);
            ended.countDown();

            assertThat(settledUsage(proxy))
                    .extracting(ModelUsage::output, ModelUsage::complete)
                    .containsExactly(50L, true);
        }
    }

    @Test
    void stopsReadingAfterTimeLimitAndChargesKnownUsage() throws IOException {
        var never = new CountDownLatch(1);
        var failed = new CountDownLatch(1);
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.write(
                                            out, HEAD + UsageMeterTest.EVENTS.substring(0, DELTA));
                                    pingUntilClosed(out, failed);
                                });
                var proxy = TestProxy.with(SHORT_DRAIN, Resolver.system())) {
            proxy.model = TestProxy.access("http://127.0.0.1:" + upstream.port());
            try (var client = proxy.connect()) {
                client.send(proxy.modelCall(BODY));
                client.head();
            }

            var usage = settledUsage(proxy);
            assertThat(usage.complete()).isFalse();
            assertThat(usage.input()).isEqualTo(100);
            assertThat(usage.output()).isPositive();
            await(failed);
            never.countDown();
        }
    }

    @Test
    void settlesCallWithoutResponseAfterSandboxHasEnded() throws IOException {
        var received = new CountDownLatch(1); // the whole body: otherwise the call would be free
        var never = new CountDownLatch(1);
        try (var upstream =
                        TestUpstream.start(
                                (_, body, _) -> {
                                    body.readAllBytes();
                                    received.countDown();
                                    await(never);
                                });
                var proxy = TestProxy.with(SHORT_DRAIN, Resolver.system())) {
            proxy.model = TestProxy.access("http://127.0.0.1:" + upstream.port());
            try (var client = proxy.connect()) {
                client.send(proxy.modelCall(BODY));
                await(received);
                proxy.proxies.close(proxy.sandbox);

                assertThat(settledUsage(proxy)).isEqualTo(proxy.estimates.peek());
            }
            never.countDown();
        }
    }

    @Test
    void settlesCallsInFlightWhenServerStops() throws IOException {
        var never = new CountDownLatch(1);
        try (var upstream = streaming(new CountDownLatch(0), never);
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall(BODY));
            client.head();
            client.in.readNBytes(DELTA);

            proxy.proxies.close();

            assertThat(proxy.usages).singleElement().extracting(ModelUsage::input).isEqualTo(100L);
            never.countDown();
        }
    }

    @Test
    void readsResponseForStalledClient() throws IOException {
        var limits =
                new EgressLimits(
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(1),
                        Duration.ofMillis(20),
                        64,
                        Duration.ofMinutes(1));
        var ping = "event: ping\ndata: {}\n\n".repeat(1000);
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    var events = UsageMeterTest.EVENTS;
                                    TestUpstream.write(out, HEAD + events.substring(0, DELTA));
                                    for (int i = 0; i < 400; i++) {
                                        TestUpstream.write(out, ping);
                                    }
                                    TestUpstream.write(out, events.substring(DELTA));
                                });
                var proxy = TestProxy.with(limits, Resolver.system());
                var client = proxy.connect()) {
            proxy.model = TestProxy.access("http://127.0.0.1:" + upstream.port());
            client.send(proxy.modelCall(BODY));

            assertThat(settledUsage(proxy))
                    .extracting(ModelUsage::output, ModelUsage::complete)
                    .containsExactly(50L, true);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot json!",
                "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"usage\":{\"input_tokens\":3",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
            })
    void chargesEstimateIfResponseShowsNoUsage(String response) throws IOException {
        try (var upstream = respondingWith(response);
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall(BODY));

            var usage = settledUsage(proxy);
            assertThat(usage).isEqualTo(proxy.estimates.peek());
            assertThat(usage.output()).isEqualTo(1000);
            assertThat(usage.input()).isEqualTo(BODY.length() / 2);
            // As if all input were written to the cache.
            assertThat(usage.costUsd())
                    .isEqualTo((usage.input() * 3 * 1.25 + usage.output() * 15) / 1e6);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 529 Overloaded\r\nContent-Length: 50\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"type\":\"error\",\"error\":{}}\n\n"
            })
    void chargesNothingIfModelRejectsCall(String response) throws IOException {
        try (var upstream = respondingWith(response);
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall(BODY));
            client.head();

            awaitSettled(proxy);
            assertThat(proxy.usages).isEmpty();
        }
    }

    @Test
    void chargesNothingIfModelIsUnreachable() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            proxy.model = TestProxy.access("http://127.0.0.1:1");

            assertThat(proxy.callModel(BODY).status()).isEqualTo(502);
            awaitSettled(proxy);
            assertThat(proxy.estimates).hasSize(1);
            assertThat(proxy.usages).isEmpty();
        }
    }

    @Test
    void metersHugeObject() throws IOException {
        var piece = "x".repeat(1 << 20);
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
                                                    + "{\"model\":\"claude-haiku-4-5\",\"content\":\"");
                                    for (int i = 0; i < 64; i++) {
                                        TestUpstream.write(out, piece);
                                    }
                                    TestUpstream.write(
                                            out,
                                            "\",\"usage\":{\"input_tokens\":10,\"output_tokens\":20}}");
                                });
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall(BODY));
            client.head();
            client.in.transferTo(OutputStream.nullOutputStream());

            assertThat(settledUsage(proxy))
                    .extracting(ModelUsage::output, ModelUsage::complete)
                    .containsExactly(20L, true);
        }
    }

    @Test
    void estimatesChunkedRequestsLikeOthers() throws IOException {
        var body = "{\"model\":\"claude-opus-4\",\"x\":\"" + "word ".repeat(80_000) + "\"}";
        try (var upstream = respondingWith("HTTP/1.1 500 Sorry\r\nContent-Length: 0\r\n\r\n");
                var proxy = TestProxy.forModel(upstream)) {
            proxy.callModel(body);
            proxy.send(
                    "POST /v1/messages HTTP/1.1\r\nHost: m\r\nx-api-key: %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                            .formatted(proxy.placeholder(), body.length(), body));

            assertThat(proxy.estimates).hasSize(2);
            var first = proxy.estimates.poll();
            assertThat(first).isEqualTo(proxy.estimates.poll());
            assertThat(first.input()).isEqualTo(body.length() / 2);
        }
    }

    private static TestUpstream respondingWith(String response) throws IOException {
        return TestUpstream.start(
                (_, body, out) -> {
                    body.readAllBytes();
                    TestUpstream.write(out, response);
                });
    }

    private static void pingUntilClosed(OutputStream out, CountDownLatch failed)
            throws IOException {
        try {
            while (true) {
                TestUpstream.write(out, "event: ping\ndata: {}\n\n");
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            failed.countDown();
        }
    }

    private static void awaitCall(TestUpstream upstream) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !upstream.heads.isEmpty());
    }

    private static void awaitSettled(TestProxy proxy) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> !proxy.estimates.isEmpty() && proxy.inFlight.get() == 0);
    }

    private static ModelUsage settledUsage(TestProxy proxy) {
        awaitSettled(proxy);
        assertThat(proxy.usages).hasSize(1);
        return proxy.usages.peek();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new IOException("timed out");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
