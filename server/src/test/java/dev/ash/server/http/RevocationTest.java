package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Behavior of open requests when their key is revoked. */
class RevocationTest {
    private static final Identity CALLER = new ApiKeyIdentity(TenantId.DEFAULT, "k", Scope.ALL);
    private static final String BEGIN =
            " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer right\r\n\r\n";

    private final TestIdentities identities =
            new TestIdentities(key -> key.equals("right") ? Optional.of(CALLER) : Optional.empty());
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CompletableFuture<Throwable> ended = new CompletableFuture<>();
    private HttpServer server;

    @AfterEach
    void stop() {
        server.close();
    }

    /** Records how the handler ended. */
    private RawClient request(Handler handler) throws Exception {
        server =
                new HttpServer(
                        TestServer.config(Duration.ofSeconds(30), Set.of(), Set.of()),
                        identities.authenticator(),
                        List.of(
                                Endpoint.get("/it")
                                        .handledBy(exchange -> report(handler, exchange)),
                                Endpoint.get("/next")
                                        .handledBy(
                                                exchange -> {
                                                    boolean interrupted = Thread.interrupted();
                                                    exchange.respond(
                                                            200,
                                                            Map.of("interrupted", interrupted));
                                                })));
        return new RawClient(server.start()).send("GET /it" + BEGIN);
    }

    private void report(Handler handler, Exchange exchange) throws Exception {
        try {
            handler.handle(exchange);
            ended.complete(new AssertionError("returned"));
        } catch (Exception e) {
            ended.complete(e);
            throw e;
        }
    }

    private void revoke() throws Exception {
        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
        identities.openCalls().end("k", "This API key was revoked");
    }

    private void waitForever() throws InterruptedException {
        waiting.countDown();
        new CountDownLatch(1).await();
    }

    @Test
    void endsEventStreamWithReasonAndKeepsConnection() throws Exception {
        try (var client =
                request(
                        exchange -> {
                            exchange.sse().frame("message", RawJson.of("1"));
                            waitForever();
                        })) {
            revoke();

            var response = client.response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body())
                    .isEqualTo(
                            "event: message\ndata: 1\n\nevent: error\ndata: {\"error\":\"This API"
                                    + " key was revoked\",\"code\":\"UNAUTHORIZED\"}\n\n");
            assertThat(ended.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
            assertThat(identities.openCalls().callers()).isEmpty();

            client.send("GET /next" + BEGIN);
            assertThat(client.response().body()).isEqualTo("{\"interrupted\":false}");
        }
    }

    @Test
    void abortsStreamOfStalledClient() throws Exception {
        try (var client =
                request(
                        exchange -> {
                            var stream = exchange.sse();
                            var data = RawJson.of("\"" + "x".repeat(1 << 20) + "\"");
                            waiting.countDown();
                            while (true) {
                                stream.frame("message", data);
                            }
                        })) {
            revoke();

            assertThat(ended.get(20, TimeUnit.SECONDS)).isInstanceOf(java.io.IOException.class);
            assertThat(client.socket.isConnected()).isTrue(); // nothing was read from it
        }
    }

    @Test
    void rejectsLongPoll() throws Exception {
        try (var client =
                request(
                        exchange ->
                                exchange.respond(
                                        200,
                                        exchange.await(
                                                () -> {
                                                    waitForever();
                                                    return "secret";
                                                })))) {
            revoke();

            var response = client.response();
            assertThat(response.status()).isEqualTo(401);
            assertThat(response.body()).contains("This API key was revoked", "UNAUTHORIZED");
            client.send("GET /next" + BEGIN);
            assertThat(client.response().body()).isEqualTo("{\"interrupted\":false}");
        }
    }

    @Test
    void rejectsWaitThatIgnoresInterrupt() throws Exception {
        try (var client =
                request(
                        exchange ->
                                exchange.respond(
                                        200,
                                        exchange.await(
                                                () -> {
                                                    try {
                                                        waitForever();
                                                    } catch (InterruptedException e) {
                                                        // simulates a wait that ignores interrupts
                                                    }
                                                    return "secret";
                                                })))) {
            revoke();

            assertThat(client.response().status()).isEqualTo(401);
        }
    }

    @Test
    void abortsDownloadWithoutInterrupt() throws Exception {
        var revoked = new CountDownLatch(1);
        try (var client =
                request(
                        exchange -> {
                            try (var out = exchange.stream(200, Map.of())) {
                                out.write('a');
                                out.flush();
                                waiting.countDown();
                                revoked.await();
                                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                                out.write('b');
                                out.flush();
                            }
                        })) {
            revoke();
            revoked.countDown();

            assertThat(ended.get(20, TimeUnit.SECONDS))
                    .hasMessage("The caller's key is no longer valid");
            assertThat(new String(client.socket.getInputStream().readAllBytes()))
                    .endsWith("a") // neither b nor the last chunk, which would mark the body as
                    // complete
                    .contains("200 OK");
        }
    }

    @Test
    void completesOtherRequests() throws Exception {
        var revoked = new CountDownLatch(1);
        try (var client =
                request(
                        exchange -> {
                            waiting.countDown();
                            revoked.await();
                            exchange.respond(200, Map.of());
                        })) {
            revoke();
            revoked.countDown();

            assertThat(client.response().status()).isEqualTo(200);
        }
    }
}
