package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Tests idle connections: no events are sent, or the client does not read. */
class IdleConnectionTest {
    private static final int BACKLOG = 100_000;

    /** A single test, because each part mostly waits for half a minute. */
    @Test
    void sendsKeepAlivesAndDisconnectsClientsThatDoNotRead() throws Exception {
        try (var ash = AshExtension.agentsBridge().open();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ash.deploy("echo", Resources.agentWithBridge("seed_bridge.py"));
            var busy = ash.session("echo");
            busy.ask("MANY " + BACKLOG);
            var idle = ash.session("echo");

            var comment = threads.submit(() -> timeUntilComment(ash.api(), idle));
            var poll =
                    threads.submit(() -> ash.api().get(idle.path() + "/events?after=1&wait=33000"));
            try (var stream = RawStream.openWithSmallBuffer(ash.api(), busy.path() + "/stream")) {
                var opened = System.nanoTime();
                stream.read();

                assertThat(busy.ask("MANY 5000")).hasSizeGreaterThan(5000);
                assertThat(Duration.ofNanos(System.nanoTime() - opened))
                        .as("duration of a turn with a stalled reader")
                        .isLessThan(Duration.ofSeconds(25));
                assertThat(comment.get()).isBetween(Duration.ofSeconds(14), Duration.ofSeconds(28));
                assertThat(poll.get().expect(200).at("/events")).isEmpty();
                awaitNoSubscribers(ash.server());
                assertThat(Duration.ofNanos(System.nanoTime() - opened))
                        .isGreaterThan(Duration.ofSeconds(28));
                var rest = readUntilDisconnected(stream);
                assertThat(rest).as("bytes sent before the disconnect").isLessThan(BACKLOG * 100L);
            }
            assertThat(Frame.said(busy.ask("and on"))).isEqualTo("and on");
        }
    }

    private static Duration timeUntilComment(Api api, TestSession session) throws Exception {
        try (var stream = RawStream.open(api, session.path() + "/stream", Map.of())) {
            var begin = System.nanoTime();
            var seen = new StringBuilder();
            while (seen.indexOf("\n:") < 0) {
                seen.append(new String(stream.read(1), UTF_8));
            }
            return Duration.ofNanos(System.nanoTime() - begin);
        }
    }

    private static void awaitNoSubscribers(AshServer server) {
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> server.api().get("/metrics").text().contains("\nash_watchers 0"));
    }

    /** Reads until the stream ends or is reset; a stream that continues fails with a timeout. */
    private static long readUntilDisconnected(RawStream stream) throws java.io.IOException {
        long bytes = 0;
        try {
            while (stream.read() >= 0) {
                bytes++;
            }
        } catch (java.net.SocketException e) {
            return bytes;
        }
        return bytes;
    }
}
