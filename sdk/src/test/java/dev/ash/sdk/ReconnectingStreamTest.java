package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.protocol.rest.SessionApi;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that lost connections are hidden from the caller. */
@Timeout(60)
class ReconnectingStreamTest {
    private static final String START = "event: session_start\ndata: {\"sessionId\":\"s1\"}";
    private static final String POST = "POST /api/sessions/s1/messages";
    private static final String STREAM = "GET /api/sessions/s1/stream";
    private static final String SESSION = "{\"session\":{\"id\":\"s1\",\"status\":\"active\"}}";

    private static String message(long id) {
        return "event: message\ndata: {\"n\":%d}\nid: %d".formatted(id, id);
    }

    private static String done(long id) {
        return "event: done\ndata: {\"sessionId\":\"s1\"}\nid: " + id;
    }

    private static String tool(String id) {
        return "event: tool_use\ndata: {\"id\":\"%s\",\"name\":\"Bash\"}".formatted(id);
    }

    private static List<String> read(EventStream stream) {
        var seen = new ArrayList<String>();
        for (var frame = stream.nextFrame(); frame != null; frame = stream.nextFrame()) {
            seen.add(frame.number() > 0 ? frame.event() + frame.number() : frame.event());
        }
        return seen;
    }

    private static SessionApi.SendMessage hello() {
        return SessionApi.SendMessage.text("hello", false);
    }

    @Test
    void resumesTurnAfterTheLastEventUntilDone() throws IOException {
        try (var server = new FakeServer()) {
            server.streams(POST, START, message(3), message(4));
            server.streams(STREAM, START, message(4), message(5), done(6), message(7));

            try (var stream = server.client().sessions().send("s1", "hello")) {
                assertThat(read(stream))
                        .containsExactly(
                                "session_start", "message3", "message4", "message5", "done6");
                assertThat(stream.lastId()).isEqualTo(6);
            }

            assertThat(server.lines()).hasSize(2).last().isEqualTo(STREAM + "?after=4");
            assertThat(server.requests().getLast().header("Last-Event-ID")).contains("4");
        }
    }

    @Test
    void repeatsPromptWithItsKeyIfConnectionIsLostBeforeTheFirstEvent() throws IOException {
        var attempts = new AtomicInteger();
        try (var server = new FakeServer()) {
            server.on(
                    POST,
                    (_, out) -> {
                        switch (attempts.incrementAndGet()) {
                            case 1 -> {} // not even a status line
                            case 2 -> FakeServer.stream(out, START);
                            default -> FakeServer.stream(out, START, message(1), done(2));
                        }
                    });

            try (var stream = server.client().sessions().send("s1", hello())) {
                assertThat(read(stream)).containsExactly("session_start", "message1", "done2");
            }

            assertThat(server.requests()).hasSize(3);
            assertThat(server.requests())
                    .extracting(request -> request.header("Idempotency-Key").orElseThrow())
                    .containsOnly(server.requests().getFirst().header("Idempotency-Key").get());
            assertThat(server.lines()).containsOnly(server.lines().getFirst());
        }
    }

    @Test
    void usesNewKeyForEachRequestOrTheCallersKey() throws IOException {
        try (var server = new FakeServer()) {
            server.streams(POST, done(1));
            server.on("POST /api/sessions", 201, SESSION);
            var sessions = server.client().sessions();

            sessions.send("s1", "a").close();
            sessions.send("s1", "a").close();
            sessions.send("s1", hello(), "mine").close();
            sessions.create("a");
            sessions.create(SessionApi.CreateSession.of("a"), "yours");

            assertThat(server.requests())
                    .extracting(request -> request.header("Idempotency-Key").orElseThrow())
                    .doesNotHaveDuplicates()
                    .contains("mine", "yours");
            assertThatThrownBy(() -> sessions.send("s1", hello(), "a\r\nb"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("visible ASCII");
        }
    }

    @Test
    void repeatsCreateWithItsKeyIfTheResponseIsLost() throws IOException {
        var attempts = new AtomicInteger();
        try (var server = new FakeServer()) {
            server.on(
                    "POST /api/sessions",
                    (_, out) -> {
                        if (attempts.incrementAndGet() > 2) {
                            FakeServer.write(out, FakeServer.json(201, SESSION));
                        }
                    });

            assertThat(server.client().sessions().create("a").id()).isEqualTo("s1");
            assertThat(server.requests())
                    .hasSize(3)
                    .extracting(request -> request.header("Idempotency-Key").orElseThrow())
                    .containsOnly(server.requests().getFirst().header("Idempotency-Key").get());
        }
    }

    @Test
    void doesNotRetryErrorResponses() throws IOException {
        try (var server = new FakeServer()) {
            server.on(POST, 409, "{\"error\":\"busy\",\"code\":\"SESSION_BUSY\"}");

            assertThatThrownBy(() -> server.client().sessions().send("s1", "a")).hasMessage("busy");
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void retriesDuringServerRestartButNotAfterOtherErrors() throws IOException {
        var attempts = new AtomicInteger();
        try (var server = new FakeServer()) {
            server.streams(POST, START, message(1));
            server.on(
                    STREAM,
                    (_, out) -> {
                        switch (attempts.incrementAndGet()) {
                            case 1 ->
                                    FakeServer.write(
                                            out,
                                            FakeServer.json(
                                                    503,
                                                    "{\"error\":\"x\",\"code\":\"SHUTTING_DOWN\"}"));
                            case 2 -> FakeServer.write(out, FakeServer.json(502, "<html>"));
                            case 3 -> FakeServer.stream(out, START, message(2));
                            default ->
                                    FakeServer.write(
                                            out,
                                            FakeServer.json(
                                                    404,
                                                    "{\"error\":\"gone\",\"code\":\"SESSION_NOT_FOUND\"}"));
                        }
                    });

            try (var stream = server.client().sessions().send("s1", "hello")) {
                assertThatThrownBy(() -> read(stream))
                        .isInstanceOf(AshApiException.class)
                        .hasMessage("gone");
                assertThat(stream.lastId()).isEqualTo(2);
            }
            assertThat(attempts).hasValue(4);
        }
    }

    @Test
    void dropsRepeatedDerivedFrames() throws IOException {
        var attempts = new AtomicInteger();
        try (var server = new FakeServer()) {
            server.streams(POST, START, message(1), tool("a"), tool("b"));
            server.on(
                    STREAM,
                    (_, out) -> {
                        if (attempts.incrementAndGet() == 1) {
                            FakeServer.stream(out, START, tool("a"));
                        } else {
                            FakeServer.stream(
                                    out,
                                    tool("a"),
                                    tool("b"),
                                    tool("c"),
                                    message(2),
                                    tool("a"),
                                    message(3),
                                    done(4));
                        }
                    });
            var tools = new ArrayList<String>();

            try (var stream = server.client().sessions().send("s1", "hello")) {
                for (var event : stream) {
                    if (event instanceof AshStreamEvent.ToolUse use) {
                        tools.add(use.id());
                    }
                }
            }

            assertThat(tools).containsExactly("a", "b", "c", "a");
        }
    }

    @Test
    void followsSessionAcrossServerRestart() throws Exception {
        var listener = new RecordingListener();
        var first = new FakeServer();
        var hold = new CountDownLatch(1);
        first.on(
                STREAM,
                (_, out) -> {
                    FakeServer.stream(out, START, message(8));
                    await(hold);
                });
        var client = first.client().with(new ReconnectPolicy(Duration.ofSeconds(30), listener));
        try (var stream = client.sessions().follow("s1", 7)) {
            assertThat(stream.next()).isInstanceOf(AshStreamEvent.SessionStart.class);
            assertThat(stream.next()).isInstanceOf(AshStreamEvent.Message.class);
            first.close();
            hold.countDown();
            var rest = CompletableFuture.supplyAsync(stream::nextFrame);
            assertThat(listener.disconnected.await(20, TimeUnit.SECONDS)).isTrue();

            try (var second =
                    new FakeServer(
                            first.port(),
                            (_, out) -> FakeServer.stream(out, START, message(8), message(9)))) {
                assertThat(rest.get(20, TimeUnit.SECONDS).number()).isEqualTo(9);
                assertThat(listener.reconnected.await(20, TimeUnit.SECONDS)).isTrue();
                assertThat(second.lines().getFirst()).isEqualTo(STREAM + "?after=8");
            }
        }
        assertThat(first.lines()).containsExactly(STREAM + "?after=7");
    }

    @Test
    void deliversEachEventOnceWhereverConnectionsBreak() throws IOException {
        int count = 400;
        var seed = System.nanoTime();
        var random = new Random(seed);
        try (var server = new FakeServer()) {
            server.on(
                    STREAM,
                    (request, out) -> {
                        int after =
                                request.header("Last-Event-ID").map(Integer::parseInt).orElse(0);
                        var log = new StringBuilder(FakeServer.STREAM).append(START).append("\n\n");
                        for (int id = after + 1; id <= count; id++) {
                            log.append(message(id)).append("\n\n");
                        }
                        // Ends within a frame, up to a few frames later.
                        int end = FakeServer.STREAM.length() + 60 + random.nextInt(2_000);
                        FakeServer.write(out, log.substring(0, Math.min(log.length(), end)));
                    });
            var seen = new ArrayList<Long>();

            try (var stream = server.client().sessions().follow("s1", 0)) {
                while (seen.isEmpty() || seen.getLast() < count) {
                    var frame = stream.nextFrame();
                    if (frame.number() > 0) {
                        seen.add(frame.number());
                    }
                }
            }

            assertThat(seen).as("seed %d", seed).hasSize(count).isSorted();
            assertThat(seen).doesNotHaveDuplicates();
            assertThat(server.requests()).hasSizeGreaterThan(5);
        }
    }

    @Test
    void failsWhenTheReconnectTimeIsOver() throws IOException {
        try (var server = new FakeServer()) {
            server.streams(STREAM, START, message(1));
            var client = server.client().with(ReconnectPolicy.of(Duration.ofMillis(150)));

            try (var stream = client.sessions().follow("s1", 0)) {
                assertThatThrownBy(() -> read(stream))
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("after event 1");
            }
            assertThat(server.requests()).hasSizeBetween(2, 3);
            assertThatThrownBy(
                            () ->
                                    server.client()
                                            .with(ReconnectPolicy.NONE)
                                            .sessions()
                                            .follow("s1", 0)
                                            .forEach(_ -> {}))
                    .isInstanceOf(ConnectionLostException.class);
        }
        try (var server = new FakeServer()) {
            server.streams(POST, START, "event: text_delta\ndata: {\"delta\":\"x\"}");
            var client = server.client().with(ReconnectPolicy.of(Duration.ofMillis(150)));

            try (var stream = client.sessions().send("s1", "the same piece again and again")) {
                assertThatThrownBy(() -> read(stream)).isInstanceOf(ConnectionLostException.class);
            }
        }
        var gone = new AshClient("http://localhost:1", null);
        assertThatThrownBy(() -> gone.sessions().send("s1", "x"))
                .isInstanceOf(ServerUnreachableException.class);
    }

    @Test
    void closingStopsReconnecting() throws Exception {
        var listener = new RecordingListener();
        var server = new FakeServer();
        server.streams(STREAM, START, message(1));
        var client = server.client().with(new ReconnectPolicy(Duration.ofHours(1), listener));
        var stream = client.sessions().follow("s1", 0);
        stream.next();
        server.close();
        var rest = CompletableFuture.supplyAsync(() -> read(stream));
        assertThat(listener.disconnected.await(20, TimeUnit.SECONDS)).isTrue();

        stream.close();

        assertThat(rest.get(20, TimeUnit.SECONDS)).isSubsetOf("message1");
    }

    @Test
    void waitsForEventsWithLongPoll() throws IOException {
        try (var server = new FakeServer()) {
            server.on("GET /api/sessions/s1/events", "{\"events\":[{\"sequence\":4}]}");

            assertThat(server.client().sessions().events("s1", 3, Duration.ofSeconds(20)))
                    .hasSize(1);
            assertThat(server.lines())
                    .containsExactly("GET /api/sessions/s1/events?after=3&wait=20000");
        }
    }

    @Test
    void forksSessionAtTurnOrCompletely() throws IOException {
        try (var server = new FakeServer()) {
            server.on("POST /api/sessions/s1/fork", 201, SESSION.replace("s1", "s2"));

            assertThat(server.client().sessions().fork("s1", "t7").id()).isEqualTo("s2");
            server.client().sessions().fork("s1", null);

            assertThat(server.lines())
                    .containsExactly(
                            "POST /api/sessions/s1/fork {\"turnId\":\"t7\"}",
                            "POST /api/sessions/s1/fork {}");
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static final class RecordingListener implements ReconnectPolicy.Listener {
        private final CountDownLatch disconnected = new CountDownLatch(1);
        private final CountDownLatch reconnected = new CountDownLatch(1);

        @Override
        public void onDisconnect(AshException cause) {
            disconnected.countDown();
        }

        @Override
        public void onReconnect() {
            reconnected.countDown();
        }
    }
}
