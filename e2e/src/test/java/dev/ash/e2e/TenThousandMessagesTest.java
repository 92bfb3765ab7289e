package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Checks that a turn of ten thousand messages is delivered and stored completely and in order. */
class TenThousandMessagesTest {
    private static final int COUNT = 10_000;

    @Test
    void deliversTenThousandMessagesInOrder() {
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py").open()) {
            var session = ash.session("echo");

            var frames = Frame.only("message", session.ask("MANY " + COUNT));

            assertThat(texts(frames)).isEqualTo(expected());
            assertThat(frames.getLast().id() - frames.getFirst().id()).isEqualTo(COUNT - 1);
            assertThat(stored(ash.server(), session)).hasSize(COUNT + 1); // plus the prompt
        }
    }

    private static List<String> texts(List<Frame> frames) {
        return frames.stream()
                .map(frame -> frame.json().at("/message/content/0/text").asString())
                .toList();
    }

    private static List<String> expected() {
        return IntStream.range(0, COUNT).mapToObj(number -> "message " + number).toList();
    }

    /** Returns the sequence numbers of all pages of {@code GET /messages}. */
    private static List<Long> stored(AshServer server, TestSession session) {
        var sequences = new ArrayList<Long>();
        while (true) {
            var after = sequences.isEmpty() ? 0 : sequences.getLast();
            var page =
                    server.api()
                            .get(session.path() + "/messages?limit=1000&after=" + after)
                            .expect(200)
                            .at("/messages");
            if (page.isEmpty()) {
                return sequences;
            }
            page.forEach(row -> sequences.add(row.path("sequence").asLong()));
            assertThat(sequences.getLast()).isEqualTo(sequences.size());
        }
    }
}
