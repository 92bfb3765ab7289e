package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.server.egress.http.Headers;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.policy.BlockedRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests plain HTTP requests and tunnels to hosts other than the model API. */
@Timeout(60)
class ProxyTest {
    @Test
    void forwardsPlainHttpToAllowedHosts() throws IOException {
        try (var upstream = TestUpstream.respondingWith("hello");
                var proxy = TestProxy.allowing("localhost:" + upstream.port())) {
            var response =
                    proxy.send(
                            "GET http://localhost:%d/a?b=c HTTP/1.1\r\nHost: evil.example\r\nX: 1\r\nConnection: x-hop\r\nX-Hop: 1\r\nProxy-Authorization: secret\r\nTE: trailers\r\n\r\n"
                                    .formatted(upstream.port()));

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("hello");
            var forwarded = upstream.requests().getFirst();
            assertThat(forwarded.target()).isEqualTo("/a?b=c");
            assertThat(forwarded.headers().all())
                    .containsExactlyInAnyOrder(
                            new Headers.Header("X", "1"),
                            new Headers.Header("Host", "localhost:" + upstream.port()),
                            new Headers.Header("Connection", "close"));
            assertThat(proxy.blocked).isEmpty();
        }
    }

    @Test
    void tunnelsBytesInBothDirectionsWithHalfClose() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) -> TestUpstream.write(out, "never read as http"));
                var echo = EchoServer.start();
                var proxy = TestProxy.allowing("localhost:" + echo.port());
                var client = proxy.connect()) {
            client.send(connect("localhost:" + echo.port()));
            assertThat(client.head().status()).isEqualTo(200);

            client.send("\0\1\2 anything");
            assertThat(new String(client.in.readNBytes(12))).isEqualTo("\0\1\2 anything");
            client.send("last");
            client.channel.shutdownOutput();

            assertThat(new String(client.in.readAllBytes())).isEqualTo("lastBYE");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @Test
    void rejectsOtherHostsAndNamesTheSetting() throws IOException {
        try (var proxy = TestProxy.allowing("*.allowed.example")) {
            for (var request :
                    List.of(connect("evil.example:443"), plain("http://EVIL.example/"))) {
                var response = proxy.send(request);

                assertThat(response.status()).isEqualTo(403);
                assertThat(response.reason())
                        .isEqualTo("Ash: evil.example is not allowed; add it to network.allow");
                assertThat(response.body())
                        .contains("\"error\":\"" + response.reason() + "\"")
                        .contains("\"statusCode\":403");
            }
            assertThat(proxy.blocked)
                    .containsExactly(
                            new BlockedRequest("evil.example", 443, reason("evil.example")),
                            new BlockedRequest("evil.example", 80, reason("evil.example")));
        }
    }

    @Test
    void namesPortInErrorForOtherPorts() throws IOException {
        try (var proxy = TestProxy.allowing("allowed.example")) {
            assertThat(proxy.send(connect("allowed.example:22")).reason())
                    .isEqualTo(
                            "Ash: allowed.example:22 is not allowed; add allowed.example:22 to"
                                    + " network.allow");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT localhost HTTP/1.1",
                "CONNECT localhost: HTTP/1.1",
                "CONNECT http://localhost:80/ HTTP/1.1",
                "CONNECT user@localhost:80 HTTP/1.1",
                "CONNECT localhost:80@evil.example:80 HTTP/1.1",
                "CONNECT localhost:80/ HTTP/1.1",
                "CONNECT 2130706433:80 HTTP/1.1",
                "CONNECT 0x7f.1:80 HTTP/1.1",
                "CONNECT 0177.0.0.1:80 HTTP/1.1",
                "CONNECT [::ffff:127.0.0.1]:80 HTTP/1.1",
                "CONNECT localhost.:80 HTTP/1.1",
                "GET http://user@localhost/ HTTP/1.1",
                "GET http://user:pass@localhost/ HTTP/1.1",
                "GET http://localhost%00.evil/ HTTP/1.1",
                "GET http://evil.example#.localhost/ HTTP/1.1",
                "GET http://evil.example\\.localhost/ HTTP/1.1",
                "GET http:///path HTTP/1.1",
                "GET http://localhost:0/ HTTP/1.1",
                "GET http://localhost:80:80/ HTTP/1.1",
                "GET https://localhost/ HTTP/1.1",
                "GET ftp://localhost/ HTTP/1.1",
                "GET localhost/ HTTP/1.1",
                "OPTIONS * HTTP/1.1",
                "GET //localhost HTTP/9.9",
            })
    void rejectsAmbiguousTargets(String line) throws IOException {
        try (var proxy = TestProxy.allowing("localhost", "127.0.0.1")) {
            var response = proxy.send(line + "\r\nHost: localhost\r\n\r\n");

            assertThat(response.status()).isIn(400, 505);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:80", "[::1]:443", "169.254.169.254:80", "10.0.0.1:80",
                "[fd00:ec2::254]:80", "0.0.0.0:80", "localhost:80", "model.ash.internal.:80"
            })
    void rejectsAddressesWithoutPattern(String host) throws IOException {
        try (var proxy = TestProxy.allowing("*.example.com")) {
            assertThat(proxy.send(connect(host)).status()).isIn(400, 403);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.1.2.3",
                "169.254.169.254",
                "::1",
                "fd00::1",
                "0.0.0.0",
                "100.64.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::"
            })
    void neverAllowsPrivateAddressesForWildcards(String address) throws IOException {
        var resolver = TestProxy.resolving("rebind.allowed.example", "8.8.8.8", address);
        try (var proxy = TestProxy.with(TestProxy.LONG_TIMEOUTS, resolver, "*.allowed.example")) {
            var response = proxy.send(connect("rebind.allowed.example:443"));

            assertThat(response.status()).isEqualTo(403);
            assertThat(proxy.blocked).hasSize(1);
        }
    }

    @Test
    void rejectsExactNamesThatResolveToMetadataAddresses() throws IOException {
        var resolver = TestProxy.resolving("metadata.example", "169.254.169.254");
        try (var proxy = TestProxy.with(TestProxy.LONG_TIMEOUTS, resolver, "metadata.example")) {
            assertThat(proxy.send(connect("metadata.example:80")).reason())
                    .contains("the address itself in the server's setting ASH_NETWORK_ALLOW");
        }
    }

    @Test
    void connectsToTheAddressThatWasChecked() throws IOException {
        var lookups = new AtomicInteger();
        try (var upstream = TestUpstream.respondingWith("first");
                var proxy =
                        TestProxy.with(
                                TestProxy.LONG_TIMEOUTS,
                                _ ->
                                        // A second lookup would return another address.
                                        lookups.getAndIncrement() == 0
                                                ? List.of(InetAddress.ofLiteral("127.0.0.1"))
                                                : List.of(InetAddress.ofLiteral("127.0.0.99")),
                                "rebind.example:" + upstream.port())) {
            var response = proxy.get("http://rebind.example:" + upstream.port() + "/");

            assertThat(response.body()).isEqualTo("first");
            assertThat(lookups).hasValue(1);
        }
    }

    @Test
    void doesNotResolveRejectedNames() throws IOException {
        var lookups = new AtomicInteger();
        try (var proxy =
                TestProxy.with(
                        TestProxy.LONG_TIMEOUTS,
                        _ -> {
                            lookups.incrementAndGet();
                            return List.of();
                        })) {
            proxy.send(connect("secret-in-a-name.evil.example:443"));

            assertThat(lookups).hasValue(0);
        }
    }

    @Test
    void reportsUnreachableHosts() throws IOException {
        try (var proxy = TestProxy.allowing("localhost:1", "nowhere.invalid")) {
            assertThat(proxy.get("http://localhost:1/").reason())
                    .isEqualTo("Ash: cannot connect to localhost:1");
            assertThat(proxy.get("http://nowhere.invalid/").reason())
                    .isEqualTo("Ash: cannot resolve nowhere.invalid");
            assertThat(proxy.blocked).isEmpty();
        }
    }

    @Test
    void transfersTenMegabytesInBothDirectionsConcurrently() throws Exception {
        var bytes = new byte[10 * 1024 * 1024];
        new Random(1).nextBytes(bytes);
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nContent-Length: "
                                                    + bytes.length
                                                    + "\r\n\r\n");
                                    body.transferTo(out);
                                });
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            var sender =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            client.send(
                                                    "POST http://localhost:%d/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                                                            .formatted(upstream.port()));
                                            var chunks = new TestUpstream.Chunks(client.output());
                                            for (int i = 0; i < bytes.length; i += 100_000) {
                                                var part =
                                                        Arrays.copyOfRange(
                                                                bytes,
                                                                i,
                                                                Math.min(
                                                                        bytes.length, i + 100_000));
                                                chunks.write(part);
                                            }
                                            chunks.finish();
                                        } catch (IOException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });
            var head = client.head();
            var received = client.body("POST", head).readAllBytes();

            assertThat(received).isEqualTo(bytes);
            sender.join();
        }
    }

    @Test
    void servesManyRequestsOnOneConnection() throws IOException {
        try (var upstream = TestUpstream.respondingWith("hello");
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            var target = "http://localhost:" + upstream.port() + "/";
            for (int i = 0; i < 5; i++) {
                client.send(plain(target));
                assertThat(client.response().body()).isEqualTo("hello");
                client.send(plain("http://evil.example/"));
                assertThat(client.response().status()).isEqualTo(403);
                client.send(
                        "POST http://evil.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
                                + "x".repeat(100_000));
                assertThat(client.response().status()).isEqualTo(403);
            }
        }
    }

    @Test
    void treatsRequestWithinBodyAsBody() throws IOException {
        try (var upstream = TestUpstream.respondingWith("hello");
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            var hidden = "GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n";
            var url = "http://localhost:" + upstream.port() + "/";

            client.send(
                    "POST "
                            + url
                            + " HTTP/1.1\r\nHost: x\r\nContent-Length: "
                            + hidden.length()
                            + "\r\n\r\n"
                            + hidden
                            + plain(url));

            assertThat(client.response().body()).isEqualTo("hello");
            assertThat(client.response().body()).isEqualTo("hello");
            assertThat(upstream.requests()).hasSize(2);
            assertThat(proxy.blocked).isEmpty();
        }
    }

    @Test
    void closesConnectionAfterAmbiguousRequest() throws IOException {
        try (var upstream = TestUpstream.respondingWith("hello");
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send(
                    "POST http://localhost:%d/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n\r\n"
                            .formatted(upstream.port(), upstream.port()));

            assertThat(client.response().status()).isEqualTo(400);
            assertThat(client.isClosed()).isTrue();
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @Test
    void truncatesResponseForClientIfHostTruncatesIt() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) ->
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n"));
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send(plain("http://localhost:" + upstream.port() + "/"));

            var head = client.head();
            assertThat(head.headers().has("transfer-encoding")).isTrue();
            assertThat(client.in.readAllBytes()).asString().isEqualTo("4\r\nWiki\r\n");
        }
    }

    @Test
    void sendsNoErrorWithinMalformedResponse() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) ->
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\nzz\r\n"));
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send(plain("http://localhost:" + upstream.port() + "/"));

            client.head();
            assertThat(client.in.readAllBytes()).asString().isEqualTo("4\r\nWiki\r\n");
        }
    }

    @Test
    void rejectsResponsesWithTwoLengths() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) ->
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
                var proxy = TestProxy.allowing("localhost:" + upstream.port())) {
            assertThat(proxy.get("http://localhost:" + upstream.port() + "/").status())
                    .isEqualTo(502);
        }
    }

    @Test
    void endsHttp10ResponseByClosingConnection() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) ->
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n0\r\n\r\n"));
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send("GET http://localhost:" + upstream.port() + "/ HTTP/1.0\r\n\r\n");

            var head = client.head();
            assertThat(head.headers().has("transfer-encoding")).isFalse();
            assertThat(client.in.readAllBytes()).asString().isEqualTo("Wiki");
        }
    }

    @Test
    void doesNotCompleteTruncatedBodyUpstream() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.respond(out, "never");
                                });
                var proxy = TestProxy.allowing("localhost:" + upstream.port())) {
            try (var client = proxy.connect()) {
                client.send(
                        "POST http://localhost:%d/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n"
                                .formatted(upstream.port()));
                await().atMost(Duration.ofMinutes(1)).until(() -> !upstream.requests().isEmpty());
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> !upstream.failures.isEmpty());
        }
    }

    @Test
    void forwardsLengthWithoutBodyForHead() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) ->
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n"));
                var proxy = TestProxy.allowing("localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send(
                    "HEAD http://localhost:" + upstream.port() + "/ HTTP/1.1\r\nHost: x\r\n\r\n");

            var response = client.response("HEAD");
            assertThat(response.head().headers().values("content-length")).containsExactly("77");
            client.send("HEAD http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.response("HEAD").status()).isEqualTo(403);
        }
    }

    private static String connect(String host) {
        return "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    private static String plain(String url) {
        return "GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }

    private static String reason(String host) {
        return "Ash: " + host + " is not allowed; add it to network.allow";
    }
}
