package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ash.protocol.SandboxId;
import dev.ash.server.egress.http.Headers;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelAccess;
import dev.ash.server.egress.model.ModelCredential;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.egress.model.Placeholders;
import dev.ash.server.egress.model.UsageMeterTest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests calls to the Messages API through the proxy: keys, endpoints, streaming and errors. */
@Timeout(60)
class ModelCallTest {
    @Test
    void replacesPlaceholderWithRealKey() throws IOException {
        try (var upstream = respondingWith("application/json", UsageMeterTest.OBJECT);
                var proxy = TestProxy.forModel(upstream)) {
            var response =
                    proxy.send(
                            "POST /v1/messages?beta=true HTTP/1.1\r\nHost: model.ash.internal\r\nX-Api-Key: %s\r\nauthorization: Bearer other\r\nAccept-Encoding: gzip, br\r\nanthropic-version: 2023-06-01\r\nCookie: a=b\r\nContent-Length: 2\r\n\r\n{}"
                                    .formatted(proxy.placeholder()));

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(UsageMeterTest.OBJECT);
            var request = upstream.requests().getFirst();
            assertThat(request.target()).isEqualTo("/v1/messages?beta=true");
            assertThat(request.headers().all())
                    .containsExactlyInAnyOrder(
                            new Headers.Header("anthropic-version", "2023-06-01"),
                            new Headers.Header("Host", "127.0.0.1:" + upstream.port()),
                            new Headers.Header("Accept-Encoding", "identity"),
                            new Headers.Header("x-api-key", TestProxy.REAL_KEY),
                            new Headers.Header("Content-Length", "2"));
            assertThat(proxy.usages).singleElement().extracting(ModelUsage::output).isEqualTo(20L);
        }
    }

    @Test
    void sendsTokensAsBearerTokens() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = TestProxy.forModel(upstream)) {
            var url = URI.create("http://localhost:" + upstream.port() + "/gateway/");
            var request =
                    "POST /v1/messages HTTP/1.1\r\nHost: m\r\nAuthorization: bearer %s\r\nanthropic-beta: claude-code-20250219,effort-2025-11-24,mcp-client-2025-11-20\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
                            .formatted(proxy.placeholder());

            proxy.model =
                    Optional.of(new ModelAccess(url, new ModelCredential.OAuthToken("oat-1")));
            assertThat(proxy.send(request).status()).isEqualTo(200);
            proxy.model = Optional.of(new ModelAccess(url, new ModelCredential.AuthToken("tok-1")));
            assertThat(proxy.send(request).status()).isEqualTo(200);

            var first = upstream.requests().get(0);
            assertThat(first.target()).isEqualTo("/gateway/v1/messages");
            assertThat(first.headers().values("authorization")).containsExactly("Bearer oat-1");
            assertThat(first.headers().values("anthropic-beta"))
                    .containsExactly("claude-code-20250219,effort-2025-11-24,oauth-2025-04-20");
            assertThat(first.headers().has("x-api-key")).isFalse();
            var second = upstream.requests().get(1);
            assertThat(second.headers().values("authorization")).containsExactly("Bearer tok-1");
            assertThat(second.headers().values("anthropic-beta"))
                    .containsExactly("claude-code-20250219,effort-2025-11-24");
        }
    }

    @Test
    void acceptsOnlyThePlaceholderOfThisSandbox() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = TestProxy.forModel(upstream)) {
            var otherPlaceholder = TestProxy.PLACEHOLDERS.of(SandboxId.random());
            for (var header :
                    new String[] {
                        "X: y",
                        "x-api-key: " + otherPlaceholder,
                        "x-api-key: ",
                        "x-api-key: " + TestProxy.REAL_KEY,
                        "Authorization: Basic " + proxy.placeholder(),
                        "Authorization: Bearer " + otherPlaceholder
                    }) {
                var response =
                        proxy.send(
                                "POST /v1/messages HTTP/1.1\r\nHost: m\r\n"
                                        + header
                                        + "\r\nContent-Length: 2\r\n\r\n{}");

                assertThat(response.status()).isEqualTo(401);
                assertThat(response.body())
                        .startsWith(
                                "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\"");
            }
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/messages/batches",
        "GET, /v1/messages/batches",
        "GET, /v1/files",
        "GET, /v1/files/file_1/content",
        "GET, /v1/organizations/me",
        "GET, /v1/models/../files",
        "GET, /v1/models/%2e%2e/files",
        "GET, /v1/models/",
        "GET, //v1/models",
        "POST, /v1/complete",
        "POST, /v1/messages/",
        "POST, /v1/messages;x",
        "POST, /api/event_logging/batch",
        "TRACE, /v1/messages",
        "GET, /v1/messages",
        "DELETE, /v1/models",
        "GET, /",
    })
    void rejectsEndpointsThatEnginesDoNotNeed(String method, String path) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = TestProxy.forModel(upstream)) {
            var response = proxy.send(withKey(proxy, method, path));

            assertThat(response.status()).isEqualTo(404);
            assertThat(response.body()).contains("not_found_error");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/models?limit=5",
        "GET, /v1/models/claude-opus-4-1",
        "POST, /v1/messages/count_tokens"
    })
    void doesNotMeterFreeCalls(String method, String path) throws IOException {
        try (var upstream = respondingWith("application/json", UsageMeterTest.OBJECT);
                var proxy = TestProxy.forModel(upstream)) {
            proxy.budgetError = Optional.of("spent");

            assertThat(proxy.send(withKey(proxy, method, path)).status()).isEqualTo(200);
            assertThat(proxy.usages).isEmpty();
        }
    }

    @Test
    void servesModelApiByItsHostName() throws IOException {
        try (var upstream = respondingWith("application/json", UsageMeterTest.OBJECT);
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(withKey(proxy, "GET", "http://model.ash.internal/v1/models"));
            assertThat(client.response().status()).isEqualTo(200);
            client.send("HEAD / HTTP/1.1\r\nHost: m\r\n\r\n");
            assertThat(client.response("HEAD").status()).isEqualTo(200);
            client.send(withKey(proxy, "GET", "http://model.ash.internal/v1/files"));
            assertThat(client.response().body()).contains("not_found_error");
            client.send("CONNECT model.ash.internal:443 HTTP/1.1\r\nHost: m\r\n\r\n");
            assertThat(client.response().reason()).contains("plain HTTP");
        }
    }

    @Test
    void forwardsEventsImmediatelyAndUnchanged() throws Exception {
        var pieces = new LinkedBlockingQueue<String>();
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n");
                                    var chunks = new TestUpstream.Chunks(out);
                                    for (var piece = next(pieces);
                                            !piece.isEmpty();
                                            piece = next(pieces)) {
                                        var bytes = piece.getBytes(StandardCharsets.UTF_8);
                                        chunks.write(bytes);
                                    }
                                    chunks.finish();
                                });
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall("{}"));
            var head = client.head();
            var body = client.body("POST", head);
            var received = new StringBuilder();
            long slowest = 0;
            // Each piece is read before the next is sent: the proxy must not wait for more.
            for (int i = 0; i < UsageMeterTest.EVENTS.length(); i += 37) {
                var piece =
                        UsageMeterTest.EVENTS.substring(
                                i, Math.min(i + 37, UsageMeterTest.EVENTS.length()));
                long start = System.nanoTime();
                pieces.add(piece);
                received.append(new String(body.readNBytes(piece.length())));
                slowest = Math.max(slowest, System.nanoTime() - start);
            }
            pieces.add("");

            assertThat(body.read()).isEqualTo(-1);
            assertThat(received.toString()).isEqualTo(UsageMeterTest.EVENTS);
            assertThat(proxy.usages).singleElement().extracting(ModelUsage::output).isEqualTo(50L);
            assertThat(slowest).isLessThan(TimeUnit.SECONDS.toNanos(5));
        }
    }

    @Test
    void settlesCallsBeforeTheResponseEnds() throws Exception {
        var last = new CountDownLatch(1);
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                                                    + UsageMeterTest.EVENTS);
                                    await(last);
                                });
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            client.send(proxy.modelCall("{}"));
            client.head();
            client.in.readNBytes(UsageMeterTest.EVENTS.length());

            assertThat(proxy.usages).hasSize(1);
            last.countDown();
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void rejectsCallsOverBudget() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            proxy.budgetError = Optional.of("The session has spent its budget of $1.00");
            for (int i = 0; i < 2; i++) {
                client.send(proxy.modelCall("{\"x\":\"" + "y".repeat(300_000) + "\"}"));
                var response = client.response();

                assertThat(response.status()).isEqualTo(402);
                assertThat(response.body())
                        .isEqualTo(
                                "{\"type\":\"error\",\"error\":{\"type\":\"billing_error\",\"message\":\"The session has spent its budget of $1.00\"}}");
            }
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @Test
    void reportsUnreachableModelInTheFormatOfTheApi() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            assertThat(proxy.callModel("{}").status()).isEqualTo(401);

            proxy.model = TestProxy.access("http://127.0.0.1:1");
            var unreachable = proxy.callModel("{}");
            assertThat(unreachable.status()).isEqualTo(502);
            assertThat(unreachable.body())
                    .contains("\"type\":\"api_error\"")
                    .contains("ANTHROPIC_BASE_URL")
                    .doesNotContain("CANARY");

            proxy.model = TestProxy.access("http://nowhere.invalid");
            assertThat(proxy.callModel("{}").status()).isEqualTo(502);
        }
    }

    @Test
    void reportsBadGatewayIfModelClosesConnection() throws IOException {
        try (var upstream = TestUpstream.start((_, body, _) -> body.readAllBytes());
                var proxy = TestProxy.forModel(upstream)) {
            var response = proxy.callModel("{}");

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.body()).contains("api_error").doesNotContain("CANARY");
        }
    }

    @Test
    void servesNextRequestAfterAFailure() throws IOException {
        try (var upstream = TestUpstream.start((_, body, _) -> body.readAllBytes());
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            for (int i = 0; i < 5; i++) {
                client.send(proxy.modelCall("{}") + proxy.modelCall("{}"));

                assertThat(client.response().status()).isEqualTo(502);
                assertThat(client.response().status()).isEqualTo(502);
            }
            assertThat(upstream.requests()).hasSize(10);
        }
    }

    @Test
    void forwardsResponseThatPrecedesTheEndOfALargeBody() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) ->
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 413 Too large\r\nContent-Length: 3\r\n\r\nbig"));
                var proxy = TestProxy.forModel(upstream);
                var client = proxy.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send(proxy.modelCall("{\"system\":\"" + "x".repeat(10_000_000) + "\"}"));
                var response = client.response();

                // A host that closes with unread bytes may discard its own response.
                assertThat(response.status()).isIn(413, 502);
            }
        }
    }

    @Test
    void forwardsErrorsOfTheModelUnchanged() throws IOException {
        var error =
                "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}";
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    // Sent before the body is read.
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 429 Too Many\r\nretry-after: 7\r\nContent-Length: "
                                                    + error.length()
                                                    + "\r\n\r\n"
                                                    + error);
                                    body.readAllBytes();
                                });
                var proxy = TestProxy.forModel(upstream)) {
            var response = proxy.callModel("{}");

            assertThat(response.status()).isEqualTo(429);
            assertThat(response.head().headers().values("retry-after")).containsExactly("7");
            assertThat(response.body()).isEqualTo(error);
            assertThat(proxy.usages).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX: y", "", " ", "ключ", "a b"})
    void rejectsCredentialsThatAreNotHeaderValues(String secret) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ModelCredential.ApiKey(secret))
                .withMessageNotContaining("X: y");
    }

    @Test
    void hidesCredentialsInToString() {
        assertThat(TestProxy.access("http://127.0.0.1:1").toString()).doesNotContain("CANARY");
        assertThat(new ModelCredential.OAuthToken("abc").toString()).doesNotContain("abc");
        assertThat(new ModelCredential.AuthToken("abc").toString()).doesNotContain("abc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://a",
                "model",
                "http:///x",
                "http://u:p@a/",
                "http://a?b",
                "http://a#b"
            })
    void rejectsInvalidBaseUrls(String url) {
        assertThatIllegalArgumentException().isThrownBy(() -> TestProxy.access(url));
    }

    @Test
    void derivesStablePlaceholdersPerSandboxAndServer() {
        var sandbox = SandboxId.random();
        var other = new byte[32];
        other[0] = 1;

        assertThat(TestProxy.PLACEHOLDERS.of(sandbox))
                .matches("sk-ash-[A-Za-z0-9_-]{43}")
                .isEqualTo(new Placeholders(new byte[32]).of(sandbox))
                .isNotEqualTo(TestProxy.PLACEHOLDERS.of(SandboxId.random()))
                .isNotEqualTo(new Placeholders(other).of(sandbox));
    }

    private static TestUpstream respondingWith(String type, String content) throws IOException {
        return TestUpstream.start(
                (_, body, out) -> {
                    body.readAllBytes();
                    TestUpstream.write(
                            out,
                            "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                                    .formatted(
                                            type,
                                            content.getBytes(StandardCharsets.UTF_8).length,
                                            content));
                });
    }

    private static String withKey(TestProxy proxy, String method, String target) {
        var body = method.equals("POST") ? "{}" : "";
        return "%s %s HTTP/1.1\r\nHost: m\r\nx-api-key: %s\r\n%s\r\n%s"
                .formatted(
                        method,
                        target,
                        proxy.placeholder(),
                        body.isEmpty() ? "" : "Content-Length: 2\r\n",
                        body);
    }

    private static String next(LinkedBlockingQueue<String> queue) throws IOException {
        try {
            var piece = queue.poll(20, TimeUnit.SECONDS);
            return piece == null ? "" : piece;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IOException("timed out");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
