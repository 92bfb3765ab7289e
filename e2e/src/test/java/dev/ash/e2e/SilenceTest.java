package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Connections on which nothing moves, because nothing happens or because nobody reads. */
class SilenceTest {
    private static final int BACKLOG = 100_000;

    /** One test, since each part of it takes half a minute and none of them needs the machine. */
    @Test
    void silenceIsBrokenAndWhoDoesNotReadIsCutOff() throws Exception {
        try (var ash = AshExtension.agentsBridge().open();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ash.deploy("echo", Resources.agentWithBridge("seed_bridge.py"));
            var busy = ash.session("echo");
            busy.ask("MANY " + BACKLOG);
            var quiet = ash.session("echo");

            var comment = threads.submit(() -> untilComment(ash.api(), quiet));
            var poll =
                    threads.submit(
                            () -> ash.api().get(quiet.path() + "/events?after=1&wait=33000"));
            try (var stream = RawStream.openSmall(ash.api(), busy.path() + "/stream")) {
                var opened = System.nanoTime();
                stream.read();

                assertThat(busy.ask("MANY 5000")).hasSizeGreaterThan(5000);
                assertThat(Duration.ofNanos(System.nanoTime() - opened))
                        .as("a turn beside a reader that does not read")
                        .isLessThan(Duration.ofSeconds(25));
                assertThat(comment.get()).isBetween(Duration.ofSeconds(14), Duration.ofSeconds(28));
                assertThat(poll.get().expect(200).at("/events")).isEmpty();
                awaitNoWatcher(ash.server());
                assertThat(Duration.ofNanos(System.nanoTime() - opened))
                        .isGreaterThan(Duration.ofSeconds(28));
                var rest = readUntilCut(stream);
                assertThat(rest).as("what was sent before the cut").isLessThan(BACKLOG * 100L);
            }
            assertThat(Frame.said(busy.ask("and on"))).isEqualTo("and on");
        }
    }

    private static Duration untilComment(Api api, TestSession session) throws Exception {
        try (var stream = RawStream.open(api, session.path() + "/stream", Map.of())) {
            var begin = System.nanoTime();
            var seen = new StringBuilder();
            while (seen.indexOf("\n:") < 0) {
                seen.append(new String(stream.read(1), UTF_8));
            }
            return Duration.ofNanos(System.nanoTime() - begin);
        }
    }

    private static void awaitNoWatcher(AshServer server) {
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> server.api().get("/metrics").text().contains("\nash_watchers 0"));
    }

    /** Ends with the end of the stream or a reset; a stream that goes on fails by its time-out. */
    private static long readUntilCut(RawStream stream) throws java.io.IOException {
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
