package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that every partial message reaches its client, whatever other readers do. */
class SlowReaderTest {
    private static final int DELTAS = 20_000;
    private static final int BYTES = 20;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("deltas", "delta_bridge.py");

    private static FrameReader send(TestSession session, int deltas, int bytes) {
        return session.send(
                "DELTAS %d %d".formatted(deltas, bytes), Map.of("includePartialMessages", true));
    }

    /** Returns the number of each delta, with which its text begins. */
    private static List<Integer> deltas(List<Frame> frames) {
        return Frame.only("text_delta", frames).stream()
                .map(frame -> frame.json().path("delta").asString().split(" ")[0])
                .map(Integer::valueOf)
                .toList();
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void deliversEveryDeltaOfBurst() {
        var session = ash.session("deltas");
        for (int round = 0; round < 5; round++) {
            try (var turn = send(session, DELTAS, BYTES)) {
                var frames = turn.rest();

                assertThat(Frame.names(frames)).endsWith("done").doesNotContain("deltas_skipped");
                assertThat(deltas(frames)).isEqualTo(numbers(DELTAS));
            }
        }
    }

    @Test
    void deliversEveryDeltaWhileOtherReadersAreStalled() throws Exception {
        var session = ash.session("deltas");
        var stalled = new ArrayList<RawStream>();
        try {
            for (int i = 0; i < 10; i++) {
                stalled.add(RawStream.openWithSmallBuffer(ash.api(), session.path() + "/stream"));
            }
            try (var turn =
                    send(session, DELTAS, BYTES)) { // 9 MB of frames: more than a socket holds
                var frames = turn.rest();

                assertThat(deltas(frames)).isEqualTo(numbers(DELTAS));
                assertThat(Frame.names(frames)).doesNotContain("deltas_skipped");
            }
        } finally {
            for (var stream : stalled) {
                stream.close();
            }
        }
    }

    @Test
    void tellsSlowReaderWhichMessagesReplaceSkippedDeltas() {
        var session = ash.session("deltas");
        try (var slow = ash.api().follow(session.path() + "/stream");
                var turn = send(session, DELTAS, 2000)) { // 40 MB: more than the server keeps
            assertThat(Frame.names(turn.rest())).endsWith("done"); // reads nothing from the other

            var frames = new ArrayList<Frame>();
            do {
                frames.add(slow.next());
            } while (!frames.getLast().event().equals("done"));

            var names = Frame.names(frames);
            assertThat(names).contains("deltas_skipped").endsWith("done");
            int skipped = names.indexOf("deltas_skipped");
            assertThat(names.subList(skipped, names.size()))
                    .as("no part of a message after a gap")
                    .doesNotContain("text_delta");
            long after = frames.get(skipped).json().path("after").asLong();
            var replacement =
                    frames.subList(skipped, frames.size()).stream()
                            .filter(frame -> frame.id() > after)
                            .findFirst()
                            .orElseThrow();
            assertThat(replacement.event()).isEqualTo("message");
            assertThat(Frame.said(frames)).isEqualTo(DELTAS + " parts");
        }
        try (var next = send(session, 10, 10)) {
            assertThat(deltas(next.rest())).isEqualTo(numbers(10));
        }
    }
}
