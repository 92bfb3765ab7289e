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

/** Two watch one session: one takes a byte now and then, the other everything as it comes. */
@Timeout(120)
class SlowWatcherTest {
    private static final int COUNT = 5000;
    private static final int BYTES = 2000; // all of it fits into no socket's buffers

    private final SessionId session = SessionId.random();
    private final CompletableFuture<IOException> cut = new CompletableFuture<>();

    @TempDir Path folder;

    @Test
    void aReaderOfSingleBytesIsCutAndHurtsNobody() throws Exception {
        try (var database = Database.open(folder.resolve("ash.db"))) {
            var events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
            try (var server = new TestServer(Duration.ofSeconds(2), follow(events));
                    var slow = connect(server, 8 * 1024);
                    var fast = connect(server, 256 * 1024)) {
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> events.subscriberCount() == 2);
                Thread.ofVirtual().start(() -> appendAll(events));

                readAll(fast, slow);

                assertThat(cut.get(30, TimeUnit.SECONDS)).isNotNull();
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> events.subscriberCount() == 1);
            }
        }
    }

    private Endpoint follow(SessionEvents events) {
        return Endpoint.get("/stream")
                .open()
                .answers(200, SseStream.class)
                .handledBy(
                        exchange -> {
                            try (var subscription = events.subscribe(session, 0)) {
                                follow(exchange.sse(), subscription);
                            } catch (IOException e) {
                                cut.complete(e);
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

    /** Takes every event by the fast socket, and a byte by the slow one now and then. */
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
