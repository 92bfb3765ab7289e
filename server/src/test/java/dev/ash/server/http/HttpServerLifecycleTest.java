package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.server.identity.TestIdentities;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Start, concurrency and shutdown of the HTTP server. */
class HttpServerLifecycleTest {
    @Test
    void respondsToConcurrentClients() throws Exception {
        var together = new CountDownLatch(200);
        try (var server =
                        new TestServer(
                                Endpoint.get("/meet/{id}")
                                        .open()
                                        .handledBy(
                                                x -> {
                                                    together.countDown();
                                                    together.await(20, TimeUnit.SECONDS);
                                                    x.respond(200, Map.of("id", x.path("id")));
                                                }));
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<String>>();
            for (int i = 0; i < 200; i++) {
                var path = "/meet/" + i;
                calls.add(() -> server.get(path).body());
            }

            var responses = new HashSet<String>();
            for (Future<String> response : clients.invokeAll(calls)) {
                responses.add(response.get());
            }

            assertThat(responses).hasSize(200).contains("{\"id\":\"0\"}", "{\"id\":\"199\"}");
        }
    }

    @Test
    void reportsPortInUse() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var config = new HttpConfig("127.0.0.1", taken.getLocalPort());
            try (var server = new HttpServer(config, TestIdentities.none(), List.of())) {
                assertThatThrownBy(server::start)
                        .isInstanceOf(ApiException.class)
                        .hasMessage(
                                "Port %d on 127.0.0.1 is already in use; stop the program that uses it, or set ASH_PORT to another port",
                                taken.getLocalPort());
            }
        }
    }

    @Test
    void reportsUnavailableAddress() {
        try (var server =
                new HttpServer(new HttpConfig("192.0.2.1", 0), TestIdentities.none(), List.of())) {
            assertThatThrownBy(server::start)
                    .isInstanceOf(ApiException.class)
                    .hasMessageStartingWith("Cannot listen on 192.0.2.1 port 0")
                    .hasMessageContaining("ASH_HOST");
        }
    }

    @Test
    void completesRequestInFlightWhenClosed() throws Exception {
        var begun = new CountDownLatch(1);
        var closing = new CountDownLatch(1);
        var server =
                new TestServer(
                        TestServer.config(Duration.ofSeconds(30), Set.of(), Set.of()),
                        Endpoint.get("/slow")
                                .open()
                                .handledBy(
                                        x -> {
                                            begun.countDown();
                                            closing.await();
                                            x.respond(200, Map.of("done", true));
                                        }));
        try (var client = server.raw()) {
            client.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
            begun.await();
            var closer = Thread.ofVirtual().start(server::close);
            closing.countDown();

            assertThat(client.response().body()).isEqualTo("{\"done\":true}");
            closer.join();
            assertThatThrownBy(server::raw).isInstanceOf(IOException.class);
            server.close();
        }
    }
}
