package dev.ash.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Event streams over HTTP. */
@Timeout(60)
class SseOverHttpTest {
    private static final String REQUEST = "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final BlockingQueue<String> frames = new ArrayBlockingQueue<>(10);

    /** Sends the frames of the queue; an empty one ends the stream. */
    private Endpoint relay() {
        return Endpoint.get("/stream")
                .open()
                .returns(200, SseStream.class)
                .handledBy(
                        x -> {
                            var stream = x.sse();
                            for (var f = frames.take(); !f.isEmpty(); f = frames.take()) {
                                stream.frame("message", RawJson.of(f), 7);
                            }
                        });
    }

    @Test
    void sendsHeadersImmediatelyAndEachFrameAsOneChunk() throws Exception {
        try (var server = new TestServer(relay());
                var client = server.raw()) {
            client.send(REQUEST);
            var head = new StringBuilder();
            for (var line = client.line(); !line.isEmpty(); line = client.line()) {
                head.append(line).append('\n');
            }
            assertThat(head.toString())
                    .startsWith("HTTP/1.1 200 OK\n")
                    .contains(
                            "Content-Type: text/event-stream\n",
                            "Cache-Control: no-cache\n",
                            "Connection: keep-alive\n",
                            "X-Accel-Buffering: no\n",
                            "Transfer-Encoding: chunked\n");

            frames.put("{\"n\":\"é🎉\"}");
            assertThat(new String(client.chunk(), UTF_8))
                    .isEqualTo("event: message\ndata: {\"n\":\"é🎉\"}\nid: 7\n\n");
            frames.put("");
            assertThat(client.chunk()).isEmpty();

            client.send(REQUEST); // the connection stays open
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
            frames.put("");
        }
    }

    @Test
    void keepsIdleStreamOpen() throws Exception {
        try (var server = new TestServer(Duration.ofMillis(300), relay());
                var client = server.raw()) {
            client.send(REQUEST);
            while (!client.line().isEmpty()) {}

            client.socket.setSoTimeout(1000);
            assertThat(timesOut(client)).isTrue();
            client.socket.setSoTimeout(20_000);
            frames.put("1");

            assertThat(new String(client.chunk(), UTF_8)).startsWith("event: message\ndata: 1");
            frames.put("");
        }
    }

    private static boolean timesOut(RawClient client) throws IOException {
        try {
            return client.socket.getInputStream().read() == Integer.MIN_VALUE;
        } catch (SocketTimeoutException _) {
            return true;
        }
    }

    @Test
    void detectsDisconnectedClient() throws Exception {
        var failure = new CompletableFuture<IOException>();
        try (var server = new TestServer(flood(failure, new CountDownLatch(0)))) {
            try (var client = server.raw()) {
                client.send(REQUEST).line();
            }
            assertThat(failure.get(20, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void disconnectsOnlyStalledReader() throws Exception {
        var failure = new CompletableFuture<IOException>();
        var stalled = new CountDownLatch(1);
        try (var server =
                        new TestServer(
                                Duration.ofSeconds(1), flood(failure, stalled), relayOn("/other"));
                var socket = new Socket();
                var other = server.raw()) {
            socket.setReceiveBufferSize(8 * 1024);
            socket.connect(new InetSocketAddress("127.0.0.1", server.port));
            socket.getOutputStream().write(REQUEST.getBytes(UTF_8));
            other.send(REQUEST.replace("/stream", "/other"));
            while (!other.line().isEmpty()) {}
            stalled.countDown();
            long since = System.nanoTime();

            var cut = failure.get(20, TimeUnit.SECONDS);

            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .isBetween(Duration.ofMillis(900), Duration.ofSeconds(20));
            assertThat(cut).hasStackTraceContaining("TimeoutException");
            frames.put("1");
            assertThat(new String(other.chunk(), UTF_8)).contains("data: 1");
            frames.put("");
        }
    }

    private Endpoint relayOn(String path) {
        return Endpoint.get(path).open().handledBy(relay().handler());
    }

    /** Writes until a write fails, and reports the failure. */
    private static Endpoint flood(CompletableFuture<IOException> failure, CountDownLatch start) {
        var data = RawJson.string("x".repeat(64 * 1024));
        return Endpoint.get("/stream")
                .open()
                .handledBy(
                        x -> {
                            var stream = x.sse();
                            start.await();
                            try {
                                while (true) {
                                    stream.frame("message", data);
                                }
                            } catch (IOException e) {
                                failure.complete(e);
                                throw e;
                            }
                        });
    }

    @Test
    void doesNotInterleaveFramesOfThreads() throws Exception {
        var endpoint =
                Endpoint.get("/stream")
                        .open()
                        .handledBy(
                                x -> {
                                    var stream = x.sse();
                                    var threads = new Thread[4];
                                    for (int i = 0; i < 4; i++) {
                                        var name = "t" + i;
                                        threads[i] =
                                                Thread.ofVirtual().start(() -> write(stream, name));
                                    }
                                    for (var thread : threads) {
                                        thread.join();
                                    }
                                });
        try (var server = new TestServer(endpoint);
                var client = server.raw()) {
            var body = client.send(REQUEST).response().body();

            assertThat(body.split("\n\n"))
                    .hasSize(400)
                    .allSatisfy(f -> assertThat(f).matches("event: t\\d\ndata: \\d+\nid: \\d+"));
        }
    }

    private static void write(SseStream stream, String name) {
        try {
            for (int i = 0; i < 100; i++) {
                stream.frame(name, RawJson.of("" + i), i);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void startsStreamAfterRequestBody() throws Exception {
        var echo =
                Endpoint.post("/stream")
                        .open()
                        .handledBy(
                                x -> {
                                    var body = new String(x.bodyBytes(), UTF_8);
                                    x.sse().frame("message", RawJson.of(body));
                                });
        try (var server = new TestServer(echo);
                var client = server.raw()) {
            client.send("POST /stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");

            assertThat(client.response().body()).isEqualTo("event: message\ndata: {}\n\n");
        }
    }

    @Test
    void rejectsHead() throws Exception {
        try (var server = new TestServer(relay());
                var client = server.raw()) {
            client.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");

            assertThat(client.line()).startsWith("HTTP/1.1 405");
        }
    }
}
