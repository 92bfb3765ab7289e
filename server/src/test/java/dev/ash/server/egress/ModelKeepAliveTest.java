package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.ash.server.egress.http.KeepAliveUpstream;
import dev.ash.server.egress.http.TestClient;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelAccess;
import dev.ash.server.egress.model.ModelCredential;
import dev.ash.server.egress.model.UsageMeterTest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reuse of upstream connections by model calls, with hosts that misbehave. */
@Timeout(60)
class ModelKeepAliveTest {
    private static final String BODY =
            "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":1000,\"messages\":[]}";
    private static final String CHUNKED =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";

    private static void respond(OutputStream out) throws IOException {
        TestUpstream.respond(out, UsageMeterTest.OBJECT);
    }

    private static TestProxy proxyOf(KeepAliveUpstream upstream) throws IOException {
        var proxy = TestProxy.allowing();
        proxy.model = TestProxy.access("http://127.0.0.1:" + upstream.port());
        return proxy;
    }

    private static void call(TestProxy proxy, TestClient client) throws IOException {
        assertThat(send(proxy, client).status()).isEqualTo(200);
    }

    /** On one client connection, whose next request is read once the upstream one is kept. */
    private static TestClient.Response send(TestProxy proxy, TestClient client) throws IOException {
        client.send(proxy.modelCall(BODY));
        return client.response();
    }

    @Test
    void reusesConnection() throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (_, out) -> {
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            for (int i = 0; i < 8; i++) {
                call(proxy, client);
            }

            assertThat(upstream.connections()).isEqualTo(1);
            assertThat(upstream.requests).hasSize(8);
            assertThat(proxy.usages).hasSize(8);
            assertThat(upstream.requests)
                    .allSatisfy(
                            request ->
                                    assertThat(request.head().headers().has("connection"))
                                            .isFalse());
        }
    }

    @Test
    void reusesConnectionAfterChunkedResponse() throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (_, out) -> {
                                    TestUpstream.write(out, CHUNKED);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);
            call(proxy, client);

            assertThat(upstream.connections()).isEqualTo(1);
        }
    }

    @Test
    void connectsAgainIfHostClosedBetweenCalls() throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (_, out) -> {
                                    respond(out);
                                    return false;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            for (int i = 0; i < 20; i++) { // some closes arrive before the next call, others later
                call(proxy, client);
            }

            assertThat(upstream.requests).hasSize(20);
            assertThat(proxy.usages).hasSize(20);
        }
    }

    @Test
    void repeatsCallIfHostClosesKeptConnectionWithoutResponse() throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    if (request.number() == 2) {
                                        return false; // as if the idle timeout had just expired
                                    }
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);
            call(proxy, client);

            assertThat(upstream.connectionsOfRequests()).containsExactly(1, 1, 2);
            assertThat(upstream.requests).allMatch(request -> request.body().equals(BODY));
            assertThat(proxy.usages).as("charged once per call").hasSize(2);
            assertThat(proxy.inFlight).hasValue(0);
            assertThat(proxy.proxies.requestCounts().repeated()).isEqualTo(1);
        }
    }

    @Test
    void doesNotRepeatCallOnNewConnection() throws IOException {
        try (var upstream = KeepAliveUpstream.start((_, _) -> false);
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            assertThat(send(proxy, client).status()).isEqualTo(502);

            assertThat(upstream.requests).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "H",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
                "HTTP/1.1 100 Continue\r\n\r\n"
            })
    void doesNotRepeatCallAfterPartOfResponse(String part) throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    if (request.number() == 2) {
                                        TestUpstream.write(out, part);
                                        return false;
                                    }
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);

            if (part.contains("{")) {
                assertThatThrownBy(() -> send(proxy, client)).isInstanceOf(IOException.class);
            } else {
                assertThat(send(proxy, client).status()).isEqualTo(502);
            }
            assertThat(upstream.requests).hasSize(2);
            try (var next = proxy.connect()) {
                call(proxy, next);
            }
            assertThat(upstream.connectionsOfRequests()).containsExactly(1, 1, 2);
        }
    }

    @Test
    void connectsAgainIfHostHasHalfClosed() throws Exception {
        var halfClosed = new CountDownLatch(1);
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    respond(out);
                                    if (request.connection() == 1) {
                                        request.socket().shutdownOutput();
                                        halfClosed.countDown();
                                    }
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);
            halfClosed.await();
            call(proxy, client);

            assertThat(upstream.connectionsOfRequests()).endsWith(2);
            assertThat(proxy.usages).hasSize(2);
        }
    }

    @Test
    void connectsAgainAfterReset() throws Exception {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    respond(out);
                                    if (request.connection() == 1) {
                                        setLinger(request);
                                        return false; // sends a reset
                                    }
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);
            call(proxy, client);

            assertThat(upstream.connectionsOfRequests()).endsWith(2);
        }
    }

    private static void setLinger(KeepAliveUpstream.Request request) throws SocketException {
        request.socket().setSoLinger(true, 0);
    }

    /** Responses after which the end of the message is uncertain, or that end the connection. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, Close\r\n\r\n{}",
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}",
                // More bytes than declared: the beginning of a response to the next request.
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}\r\n",
            })
    void doesNotReuseConnectionAfter(String response) throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    if (request.connection() == 1) {
                                        TestUpstream.write(out, response);
                                    } else {
                                        respond(out);
                                    }
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            send(proxy, client);
            var second = send(proxy, client);

            assertThat(second.body()).isEqualTo(UsageMeterTest.OBJECT);
            assertThat(upstream.connectionsOfRequests()).containsExactly(1, 2);
            await().atMost(Duration.ofSeconds(20)).until(() -> upstream.closedByPeer() >= 1);
        }
    }

    /** The host sends the forged response between two calls. */
    @Test
    void doesNotReuseConnectionWithUnsolicitedResponse() throws Exception {
        var forged = new CountDownLatch(1);
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    respond(out);
                                    if (request.connection() == 1) {
                                        TestUpstream.respond(out, "forged");
                                        forged.countDown();
                                    }
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);
            forged.await();

            assertThat(send(proxy, client).body()).isEqualTo(UsageMeterTest.OBJECT);
            assertThat(upstream.connectionsOfRequests()).containsExactly(1, 2);
        }
    }

    @Test
    void doesNotReuseConnectionOfClientThatDisconnected() throws Exception {
        var disconnected = new CountDownLatch(1);
        try (var upstream =
                        KeepAliveUpstream.start(
                                (request, out) -> {
                                    if (request.connection() == 1) {
                                        awaitUninterruptibly(disconnected);
                                    }
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            try (var leaving = proxy.connect()) {
                leaving.send(proxy.modelCall(BODY));
                await().atMost(Duration.ofSeconds(20)).until(() -> !upstream.requests.isEmpty());
            }
            disconnected.countDown();
            await().atMost(Duration.ofSeconds(20)).until(() -> !proxy.usages.isEmpty());

            call(proxy, client);
            assertThat(proxy.usages).hasSize(2);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void doesNotShareConnectionBetweenCredentialsOrHosts() throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (_, out) -> {
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            var url = URI.create("http://127.0.0.1:" + upstream.port());
            call(proxy, client);
            proxy.model =
                    Optional.of(new ModelAccess(url, new ModelCredential.ApiKey("sk-rotated")));
            call(proxy, client);
            call(proxy, client);
            await().atMost(Duration.ofSeconds(20)).until(() -> upstream.closedByPeer() == 1);
            proxy.model =
                    Optional.of(
                            new ModelAccess(
                                    URI.create("http://localhost:" + upstream.port()),
                                    new ModelCredential.ApiKey("sk-rotated")));
            call(proxy, client);

            assertThat(upstream.connectionsOfRequests()).containsExactly(1, 2, 2, 3);
            assertThat(upstream.requests)
                    .extracting(request -> request.head().headers().values("x-api-key").getFirst())
                    .containsExactly(TestProxy.REAL_KEY, "sk-rotated", "sk-rotated", "sk-rotated");
        }
    }

    @Test
    void closesKeptConnectionWithSandbox() throws IOException {
        try (var upstream =
                        KeepAliveUpstream.start(
                                (_, out) -> {
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream);
                var client = proxy.connect()) {
            call(proxy, client);
            assertThat(upstream.closedByPeer()).isZero();

            proxy.proxies.close(proxy.sandbox);

            await().atMost(Duration.ofSeconds(20)).until(() -> upstream.closedByPeer() == 1);
        }
    }

    @Test
    void keepsFewConnections() throws Exception {
        var all = new CountDownLatch(5);
        try (var upstream =
                        KeepAliveUpstream.start(
                                (_, out) -> {
                                    all.countDown();
                                    awaitUninterruptibly(all);
                                    respond(out);
                                    return true;
                                });
                var proxy = proxyOf(upstream)) {
            var threads =
                    IntStream.range(0, 5)
                            .mapToObj(
                                    _ ->
                                            Thread.ofVirtual()
                                                    .start(
                                                            () -> {
                                                                try (var own = proxy.connect()) {
                                                                    call(proxy, own);
                                                                } catch (IOException e) {
                                                                    throw new AssertionError(e);
                                                                }
                                                            }))
                            .toList();
            for (var thread : threads) {
                thread.join();
            }

            assertThat(upstream.connections()).isEqualTo(5);
            await().atMost(Duration.ofSeconds(20)).until(() -> upstream.closedByPeer() == 3);
        }
    }
}
