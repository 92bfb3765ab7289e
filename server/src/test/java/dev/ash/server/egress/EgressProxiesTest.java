package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.Resolver;
import dev.ash.server.egress.http.TestClient;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.PriceTable;
import dev.ash.server.egress.policy.EgressPolicy;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests opening and closing of proxies, their timeouts, and the isolation between sandboxes. */
@Timeout(60)
class EgressProxiesTest {
    private static final EgressLimits SHORT_TIMEOUTS =
            new EgressLimits(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(5),
                    Duration.ofMillis(20),
                    3,
                    Duration.ofSeconds(1));

    @Test
    void opensSocketForAllUsersAndReplacesStaleOne() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            assertThat(mode(proxy.socket())).isEqualTo("rw-rw-rw-");
            assertThat(mode(proxy.socket().getParent())).isEqualTo("rwxr-xr-x");
            // As after a killed server: the socket file of an earlier proxy exists.
            try (var next =
                    new EgressProxies(
                            TestProxy.PLACEHOLDERS,
                            EgressLimits.DEFAULT,
                            List.of(),
                            PriceTable::builtIn)) {
                next.open(proxy.sandbox, proxy.setup(List.of()));

                assertThat(proxy.get("http://a.example/").status()).isEqualTo(403);
                try (var names = Files.list(proxy.socket().getParent())) {
                    assertThat(names).containsExactly(proxy.socket());
                }
            }
        }
    }

    @Test
    void closesAllConnectionsOfSandboxImmediately() throws Exception {
        var unanswered = new CountDownLatch(1);
        try (var echo = EchoServer.start();
                var upstream =
                        TestUpstream.start(
                                (request, _, out) -> {
                                    if (request.target().equals("/unanswered")) {
                                        unanswered.countDown();
                                    } else {
                                        TestUpstream.write(
                                                out,
                                                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1");
                                    }
                                    TestUpstream.blockForever();
                                });
                var proxy =
                        TestProxy.allowing(
                                "localhost:" + echo.port(), "localhost:" + upstream.port());
                var idle = proxy.connect();
                var tunnel = proxy.connect();
                var waiting = proxy.connect();
                var stream = proxy.connect()) {
            tunnel.send("CONNECT localhost:%d HTTP/1.1\r\nHost: x\r\n\r\n".formatted(echo.port()));
            assertThat(tunnel.head().status()).isEqualTo(200);
            stream.send(
                    "GET http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n\r\n"
                            .formatted(upstream.port()));
            assertThat(stream.head().status()).isEqualTo(200);
            assertThat(stream.in.read()).isEqualTo('1');
            waiting.send(
                    "GET http://localhost:%d/unanswered HTTP/1.1\r\nHost: x\r\n\r\n"
                            .formatted(upstream.port()));
            unanswered.await();

            proxy.proxies.close(proxy.sandbox);
            proxy.proxies.close(proxy.sandbox);

            assertThat(idle.isClosed()).isTrue();
            assertThat(tunnel.isClosed()).isTrue();
            assertThat(waiting.isClosed()).isTrue();
            assertThat(stream.isClosed()).isTrue();
            assertThat(proxy.socket()).doesNotExist();
            assertThatIOException().isThrownBy(proxy::connect);
        }
    }

    @Test
    void rejectsNewProxiesAfterClose() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            proxy.proxies.close();

            assertThatExceptionOfType(IOException.class).isThrownBy(proxy::connect);
            assertThatIOException()
                    .isThrownBy(() -> proxy.proxies.open(proxy.sandbox, proxy.setup(List.of())))
                    .withMessageContaining("shutting down");
        }
    }

    @Test
    void isolatesSandboxesFromEachOther() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var one = TestProxy.forModel(upstream);
                var other = TestProxy.forModel(upstream);
                var open = other.connect()) {
            assertThat(one.send(other.modelCall("{}")).status()).isEqualTo(401);
            one.budgetError = Optional.of("spent");
            assertThat(one.callModel("{}").status()).isEqualTo(402);

            one.proxies.close(one.sandbox);
            open.send(other.modelCall("{}"));

            assertThat(open.response().status()).isEqualTo(200);
        }
    }

    @Test
    void appliesNewPolicyWhenReopened() throws IOException {
        try (var proxy = TestProxy.allowing();
                var open = proxy.connect()) {
            var url = "http://nowhere.invalid/";
            assertThat(proxy.get(url).reason()).contains("nowhere.invalid is not allowed");

            proxy.proxies.open(proxy.sandbox, proxy.setup(List.of("nowhere.invalid")));

            assertThat(open.isClosed()).isTrue();
            assertThat(proxy.get(url).reason()).contains("cannot resolve nowhere.invalid");
        }
    }

    @Test
    void rejectsLongSocketPathsAndNamesTheSetting() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            var setup =
                    new EgressSetup(
                            proxy.directory.resolve("x".repeat(100)),
                            EgressPolicy.CLOSED,
                            proxy.setup(List.of()).model(),
                            Optional::empty,
                            proxy.setup(List.of()).listener());

            assertThatIOException()
                    .isThrownBy(() -> proxy.proxies.open(proxy.sandbox, setup))
                    .withMessageContaining("ASH_DATA_DIR");
        }
    }

    @Test
    void rejectsConnectionsAboveTheLimitWithAnError() throws IOException {
        var limits =
                new EgressLimits(
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(5),
                        Duration.ofMillis(20),
                        3,
                        Duration.ofSeconds(1));
        try (var proxy = TestProxy.with(limits, Resolver.system())) {
            var clients = new ArrayList<TestClient>();
            for (int i = 0; i < 3; i++) {
                clients.add(proxy.connect());
                clients.get(i).send("GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(clients.get(i).response().status()).isEqualTo(403);
            }
            var refused = proxy.get("http://evil.example/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.reason()).contains("3 concurrent connections");

            clients.getFirst().close();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> proxy.get("http://evil.example/").status() == 403);
            for (var client : clients) {
                client.close();
            }
        }
    }

    @Test
    void servesRequestsAfterFloodOfConnections() throws IOException {
        try (var proxy = TestProxy.with(TestProxy.LONG_TIMEOUTS, Resolver.system())) {
            var clients = new ArrayList<TestClient>();
            for (int i = 0; i < 500; i++) {
                try {
                    clients.add(proxy.connect());
                } catch (ConnectException e) {
                    // The backlog of the socket is full, which affects only this sandbox.
                }
            }
            for (var client : clients) {
                client.close();
            }

            await().atMost(Duration.ofMinutes(1)).until(() -> statusOrZero(proxy) == 403);
        }
    }

    @Test
    void closesConnectionsWithSlowRequestHeads() throws IOException {
        try (var proxy = TestProxy.with(SHORT_TIMEOUTS, Resolver.system());
                var client = proxy.connect()) {
            client.send("GET http://a.example/ HTTP/1.1\r\n");

            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(50))
                    .until(
                            () -> {
                                try {
                                    client.send("X");
                                    return false;
                                } catch (IOException e) {
                                    return true;
                                }
                            });
        }
    }

    @Test
    void closesIdleTunnelsOnly() throws Exception {
        try (var echo = EchoServer.start();
                var proxy =
                        TestProxy.with(
                                SHORT_TIMEOUTS, Resolver.system(), "localhost:" + echo.port());
                var client = proxy.connect()) {
            client.send("CONNECT localhost:%d HTTP/1.1\r\nHost: x\r\n\r\n".formatted(echo.port()));
            client.head();

            long end = System.nanoTime() + SHORT_TIMEOUTS.idle().multipliedBy(2).toNanos();
            while (System.nanoTime() < end) {
                client.send("x");
                assertThat(client.in.read()).isEqualTo('x');
                LockSupport.parkNanos(10_000_000); // limits the load of the machine
            }

            // The tunnel is closed. If the host notices first, its BYE may still arrive.
            assertThat(new String(client.in.readAllBytes())).isIn("", "BYE");
        }
    }

    @Test
    void reportsTimeoutOfSilentModel() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, body, _) -> {
                                    body.readAllBytes();
                                    TestUpstream.blockForever();
                                });
                var proxy = TestProxy.with(SHORT_TIMEOUTS, Resolver.system())) {
            proxy.model = TestProxy.access("http://127.0.0.1:" + upstream.port());

            var response = proxy.callModel("{}");

            assertThat(response.status()).isEqualTo(504);
            assertThat(response.body()).contains("timeout_error").doesNotContain("CANARY");
        }
    }

    @Test
    void closesConnectionsOfStalledClients() throws Exception {
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) -> {
                                    TestUpstream.write(out, "HTTP/1.1 200 OK\r\n\r\n");
                                    var piece = new byte[100_000];
                                    while (true) {
                                        out.write(piece);
                                    }
                                });
                var proxy =
                        TestProxy.with(
                                SHORT_TIMEOUTS, Resolver.system(), "localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send(
                    "GET http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n\r\n"
                            .formatted(upstream.port()));

            await().atMost(Duration.ofMinutes(1)).until(() -> !upstream.failures.isEmpty());
            assertThat(client.in.skip(Long.MAX_VALUE)).isPositive();
        }
    }

    @Test
    void keepsConcurrentStreamsSeparate() throws Exception {
        try (var upstream =
                        TestUpstream.start(
                                (request, body, out) -> {
                                    body.readAllBytes();
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                                    var chunks = new TestUpstream.Chunks(out);
                                    var piece = request.target().repeat(50).getBytes();
                                    for (int i = 0; i < 200; i++) {
                                        chunks.write(piece);
                                    }
                                    chunks.finish();
                                });
                var proxy = TestProxy.allowing("localhost:" + upstream.port())) {
            var failures = new ConcurrentLinkedQueue<Throwable>();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 50; i++) {
                var path = "/stream-" + i + "-";
                threads.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                var response =
                                                        proxy.get(
                                                                "http://localhost:"
                                                                        + upstream.port()
                                                                        + path);
                                                assertThat(response.body())
                                                        .isEqualTo(path.repeat(50 * 200));
                                            } catch (Throwable e) {
                                                failures.add(e);
                                            }
                                        }));
            }
            for (var thread : threads) {
                thread.join();
            }

            assertThat(failures).isEmpty();
        }
    }

    private static int statusOrZero(TestProxy proxy) {
        try {
            return proxy.get("http://evil.example/").status();
        } catch (IOException e) {
            return 0;
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
