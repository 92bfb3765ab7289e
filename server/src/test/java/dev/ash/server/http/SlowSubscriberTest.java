package dev.ash.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventType;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Database;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two subscribers follow one session: one reads single bytes slowly, the other reads all. */
@Timeout(120)
class SlowSubscriberTest {
    private static final int COUNT = 5000;
    private static final int BYTES = 2000; // in total more than socket buffers can hold

    private final SessionId session = SessionId.random();
    private final CompletableFuture<IOException> disconnected = new CompletableFuture<>();

    @TempDir Path directory;

    @Test
    void disconnectsSlowSubscriberWithoutAffectingOthers() throws Exception {
        try (var database = Database.open(directory.resolve("ash.db"))) {
            var events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
            try (var server = new TestServer(Duration.ofSeconds(2), follow(events));
                    var slow = connect(server, 8 * 1024);
                    var fast = connect(server, 256 * 1024)) {
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> events.subscriberCount() == 2);
                Thread.ofVirtual().start(() -> appendAll(events));

                readAll(fast, slow);

                assertThat(disconnected.get(30, TimeUnit.SECONDS)).isNotNull();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> events.subscriberCount() == 1);
            }
        }
    }

    private Endpoint follow(SessionEvents events) {
        return Endpoint.get("/stream")
                .open()
                .returns(200, SseStream.class)
                .handledBy(
                        exchange -> {
                            try (var subscription = events.subscribe(session, 0)) {
                                follow(exchange.sse(), subscription);
                            } catch (IOException e) {
                                disconnected.complete(e);
                                throw e;
                            }
                        });
    }

    private static void follow(
            SseStream stream, dev.ash.server.event.EventSubscription subscription)
            throws IOException, InterruptedException {
        while (true) {
            for (var event : subscription.nextBatch(Duration.ofSeconds(60))) {
                stream.add("message", event.data(), event.seq());
            }
            stream.flush();
        }
    }

    private static Socket connect(TestServer server, int receiveBuffer) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(receiveBuffer);
        socket.connect(new InetSocketAddress("127.0.0.1", server.port));
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
        return socket;
    }

    private void appendAll(SessionEvents events) {
        var data = RawJson.of("{\"type\":\"system\",\"x\":\"" + "x".repeat(BYTES) + "\"}");
        for (int i = 0; i < COUNT; i++) {
            var event = NewEvent.of(session, null, EventType.MESSAGE, data, null);
            events.submit(session, List.of(event), (_, _) -> {}, () -> {}, _ -> {});
        }
    }

    /** Reads all events from the fast socket, and occasionally one byte from the slow one. */
    private static void readAll(Socket fast, Socket slow) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(fast.getInputStream(), US_ASCII));
        long last = 0;
        while (last < COUNT) {
            var line = lines.readLine();
            assertThat(line).isNotNull();
            if (line.startsWith("id: ")) {
                assertThat(Long.parseLong(line.substring(4))).isEqualTo(++last);
                if (last % 500 == 0) {
                    assertThat(slow.getInputStream().read()).isNotNegative();
                }
            }
        }
    }
}
