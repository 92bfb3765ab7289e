package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TenantId;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import dev.ash.server.memory.MemoryBudgets;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory budgets of requests. */
class MemoryLimitsTest {
    /** Used by this test only: the budgets are global to the process. */
    private static final String GREEDY = "greedy-tenant-of-a-test";

    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;
    private int port;

    @BeforeEach
    void start() {
        server =
                new HttpServer(
                        new HttpConfig("127.0.0.1", 0),
                        TestIdentities.authenticator(
                                key ->
                                        Optional.of(
                                                new ApiKeyIdentity(
                                                        new TenantId(key), key, Scope.ALL))),
                        List.of(
                                Endpoint.post("/size")
                                        .scope(Scope.RUN)
                                        .handledBy(ex -> ex.respond(200, ex.bodyBytes().length)),
                                Endpoint.get("/page").handledBy(MemoryLimitsTest::page)));
        port = server.start();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    /** Streams a list, and fails before its end if the query has {@code fails}. */
    private static void page(Exchange exchange) throws IOException {
        var list = new JsonList(exchange, "rows");
        for (int i = 0; i < Integer.parseInt(exchange.query("rows").orElse("0")); i++) {
            list.add("x".repeat(1000));
        }
        if (exchange.query("fails").isPresent()) {
            throw new IllegalStateException("on purpose");
        }
        list.end();
    }

    private HttpRequest.Builder request(String tenant, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Authorization", "Bearer " + tenant);
    }

    private HttpRequest post(String tenant, int bytes) {
        return request(tenant, "/size").POST(BodyPublishers.ofByteArray(new byte[bytes])).build();
    }

    private HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, BodyHandlers.ofString());
    }

    @Test
    void rejectsTooManyOpenRequestsOfTenant() throws Exception {
        var requests = MemoryBudgets.ofProcess().requests();
        try (var _ = requests.acquire(GREEDY, requests.share(), Duration.ofSeconds(30))) {
            var rejected = send(post(GREEDY, 10));

            assertThat(rejected.statusCode()).isEqualTo(503);
            assertThat(rejected.headers().firstValue("Retry-After")).contains("5");
            assertThat(rejected.body())
                    .contains(
                            "CAPACITY_REACHED",
                            "no memory left for another request of this",
                            "close event streams",
                            "ASH_HEAP_MB")
                    .doesNotContain("try again");
            assertThat(send(post("another-tenant", 10)).statusCode()).isEqualTo(200);
        }
        assertThat(send(post(GREEDY, 10)).statusCode()).isEqualTo(200);
    }

    @Test
    void delaysLargeBodiesButNotSmallOnes() throws Exception {
        var bodies = MemoryBudgets.ofProcess().bodies();
        var lease = bodies.acquire(GREEDY, bodies.share(), Duration.ofSeconds(30));
        try (lease) {
            var large = client.sendAsync(post(GREEDY, 500_000), BodyHandlers.ofString());

            assertThat(send(post(GREEDY, 60_000)).body()).isEqualTo("60000");
            assertThat(send(post("another-tenant", 500_000)).body()).isEqualTo("500000");
            assertThat(large).isNotDone();
            lease.close();
            assertThat(large.get(30, TimeUnit.SECONDS).body()).isEqualTo("500000");
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> canAcquireShare(GREEDY)); // the memory is released after the response
    }

    private static boolean canAcquireShare(String tenant) throws InterruptedException {
        var bodies = MemoryBudgets.ofProcess().bodies();
        bodies.acquire(tenant, bodies.share(), Duration.ofSeconds(30)).close();
        return true;
    }

    @Test
    void completesListsOrFailsVisibly() throws Exception {
        var small = send(request("a", "/page?rows=3").build());
        assertThat(small.headers().firstValueAsLong("Content-Length")).isPresent();
        assertThat(small.body()).hasSize(3 * 1003 + "{'rows':[".length() + 1);

        var large = send(request("a", "/page?rows=1000").build());
        assertThat(large.headers().firstValueAsLong("Content-Length")).isEmpty();
        assertThat(large.body()).hasSize(1000 * 1003 + "{'rows':[".length() + 1).endsWith("]}");

        assertThat(send(request("a", "/page?rows=3&fails").build()).statusCode()).isEqualTo(500);
        assertThat(
                        client.sendAsync(
                                request("a", "/page?rows=1000&fails").build(),
                                BodyHandlers.ofString()))
                .failsWithin(Duration.ofSeconds(30));
    }
}
