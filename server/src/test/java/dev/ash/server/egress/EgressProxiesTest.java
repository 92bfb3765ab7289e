package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.Resolver;
import dev.ash.server.egress.http.TestClient;
import dev.ash.server.egress.http.TestUpstream;
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

/** The life of proxies, and what a sandbox cannot do to the others. */
@Timeout(60)
class EgressProxiesTest {
    private static final EgressLimits IMPATIENT =
            new EgressLimits(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(5),
                    Duration.ofMillis(20),
                    3,
                    Duration.ofSeconds(1));

    @Test
    void theSocketIsOpenToTheSandboxsUserAndTakesTheStaleOnesPlace() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            assertThat(mode(proxy.socket())).isEqualTo("rw-rw-rw-");
            assertThat(mode(proxy.socket().getParent())).isEqualTo("rwxr-xr-x");
            // As after a server that was killed: the file is there, and nobody listens.
            try (var next =
                    new EgressProxies(TestProxy.PLACEHOLDERS, EgressLimits.DEFAULT, List.of())) {
                next.open(proxy.sandbox, proxy.setup(List.of()));

                assertThat(proxy.get("http://a.example/").status()).isEqualTo(403);
                try (var names = Files.list(proxy.socket().getParent())) {
                    assertThat(names).containsExactly(proxy.socket());
                }
            }
        }
    }

    @Test
    void closingCutsEveryConnectionAtOnce() throws Exception {
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
                                    TestUpstream.silence();
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

            assertThat(idle.ended()).isTrue();
            assertThat(tunnel.ended()).isTrue();
            assertThat(waiting.ended()).isTrue();
            assertThat(stream.ended()).isTrue();
            assertThat(proxy.socket()).doesNotExist();
            assertThatIOException().isThrownBy(proxy::connect);
        }
    }

    @Test
    void closingAllRefusesNewOnes() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            proxy.proxies.close();

            assertThatExceptionOfType(IOException.class).isThrownBy(proxy::connect);
            assertThatIOException()
                    .isThrownBy(() -> proxy.proxies.open(proxy.sandbox, proxy.setup(List.of())))
                    .withMessageContaining("shutting down");
        }
    }

    @Test
    void twoSandboxesShareNothing() throws IOException {
        try (var upstream = TestUpstream.saying("{}");
                var one = TestProxy.ofModel(upstream);
                var other = TestProxy.ofModel(upstream);
                var open = other.connect()) {
            assertThat(one.ask(other.modelCall("{}")).status()).isEqualTo(401);
            one.overBudget = Optional.of("spent");
            assertThat(one.callModel("{}").status()).isEqualTo(402);

            one.proxies.close(one.sandbox);
            open.send(other.modelCall("{}"));

            assertThat(open.answer().status()).isEqualTo(200);
        }
    }

    @Test
    void openingAgainChangesThePolicy() throws IOException {
        try (var proxy = TestProxy.allowing();
                var open = proxy.connect()) {
            var url = "http://nowhere.invalid/";
            assertThat(proxy.get(url).reason()).contains("nowhere.invalid is not allowed");

            proxy.proxies.open(proxy.sandbox, proxy.setup(List.of("nowhere.invalid")));

            assertThat(open.ended()).isTrue();
            assertThat(proxy.get(url).reason()).contains("nowhere.invalid has no address");
        }
    }

    @Test
    void aDeepFolderIsRefusedWithTheSettingToChange() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            var setup =
                    new EgressSetup(
                            proxy.folder.resolve("x".repeat(100)),
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
    void oneConnectionTooManyIsToldSo() throws IOException {
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
                assertThat(clients.get(i).answer().status()).isEqualTo(403);
            }
            var refused = proxy.get("http://evil.example/");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.reason()).contains("3 connections at once");

            clients.getFirst().close();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> proxy.get("http://evil.example/").status() == 403);
            for (var client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aFloodOfConnectionsIsClosedAndPasses() throws IOException {
        try (var proxy = TestProxy.with(TestProxy.PATIENT, Resolver.system())) {
            var clients = new ArrayList<TestClient>();
            for (int i = 0; i < 500; i++) {
                try {
                    clients.add(proxy.connect());
                } catch (ConnectException e) {
                    // The queue of the socket is full: the sandbox's own loss.
                }
            }
            for (var client : clients) {
                client.close();
            }

            await().atMost(Duration.ofMinutes(1)).until(() -> statusOrZero(proxy) == 403);
        }
    }

    @Test
    void aHeadThatDripsIsCutOff() throws IOException {
        try (var proxy = TestProxy.with(IMPATIENT, Resolver.system());
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
    void aSilentTunnelIsClosedAndABusyOneIsNot() throws Exception {
        try (var echo = EchoServer.start();
                var proxy =
                        TestProxy.with(IMPATIENT, Resolver.system(), "localhost:" + echo.port());
                var client = proxy.connect()) {
            client.send("CONNECT localhost:%d HTTP/1.1\r\nHost: x\r\n\r\n".formatted(echo.port()));
            client.head();

            long end = System.nanoTime() + IMPATIENT.idle().multipliedBy(2).toNanos();
            while (System.nanoTime() < end) {
                client.send("x");
                assertThat(client.in.read()).isEqualTo('x');
                LockSupport.parkNanos(10_000_000); // busy, but not all of the machine
            }

            // It ends. The host may have noticed first, and its goodbye may still come through.
            assertThat(new String(client.in.readAllBytes())).isIn("", "BYE");
        }
    }

    @Test
    void aModelThatIsSilentIsATimeout() throws IOException {
        try (var upstream =
                        TestUpstream.start(
                                (_, body, _) -> {
                                    body.readAllBytes();
                                    TestUpstream.silence();
                                });
                var proxy = TestProxy.with(IMPATIENT, Resolver.system())) {
            proxy.model = TestProxy.access("http://127.0.0.1:" + upstream.port());

            var answer = proxy.callModel("{}");

            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.body()).contains("timeout_error").doesNotContain("CANARY");
        }
    }

    @Test
    void aClientThatDoesNotReadIsCutOff() throws Exception {
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
                                IMPATIENT, Resolver.system(), "localhost:" + upstream.port());
                var client = proxy.connect()) {
            client.send(
                    "GET http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n\r\n"
                            .formatted(upstream.port()));

            await().atMost(Duration.ofMinutes(1)).until(() -> !upstream.failures.isEmpty());
            assertThat(client.in.skip(Long.MAX_VALUE)).isPositive();
        }
    }

    @Test
    void manyStreamsGoAtOnceWithoutMixing() throws Exception {
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
                                                var answer =
                                                        proxy.get(
                                                                "http://localhost:"
                                                                        + upstream.port()
                                                                        + path);
                                                assertThat(answer.body())
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
