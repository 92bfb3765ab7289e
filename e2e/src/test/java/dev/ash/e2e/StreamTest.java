package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Tests following a session by event stream and by long poll: start positions, end conditions,
 * concurrent subscribers.
 */
class StreamTest {
    private static final int SUBSCRIBERS = 20;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py");

    @ParameterizedTest
    @ValueSource(strings = {"-1", "+1", "last", "1.5", "0x10", "1 2", "1;2", "1e3"})
    void rejectsInvalidLastEventId(String position) {
        var session = ash.session("echo");

        streamFrom(session, position).refused(400, "VALIDATION_FAILED", "Last-Event-ID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "last", "", "1.5", "%20"})
    void rejectsInvalidAfterParameter(String position) {
        var session = ash.session("echo");

        ash.api()
                .get(session.path() + "/stream?until=idle&after=" + position)
                .refused(400, "VALIDATION_FAILED", "after");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1000",
                "9223372036854775807",
                "9223372036854775808",
                "99999999999999999999"
            })
    void treatsPositionBeyondEndAsEnd(String position) {
        var session = ash.session("echo");
        session.ask("before");

        assertThat(Frame.names(streamFrom(session, position).frames()))
                .containsExactly("session_start");
        try (var stream = ash.api().follow(session.path() + "/stream?after=" + position)) {
            stream.next("session_start");
            var asked = Frame.only("message", session.ask("and now"));
            assertThat(stream.next("message")).isEqualTo(asked.getFirst());
        }
    }

    @Test
    void idOfOtherSessionDoesNotShowItsEvents() {
        var mine = ash.session("echo");
        mine.ask("mine");
        var other = ash.session("echo");
        var frames = other.ask("theirs");
        other.ask("theirs, too");

        for (var frame : frames) {
            var shown = streamFrom(mine, Long.toString(frame.id())).frames();

            assertThat(shown).allSatisfy(f -> assertThat(f.data()).doesNotContain("theirs"));
            assertThat(shown)
                    .filteredOn(f -> f.id() > 0)
                    .isEqualTo(
                            new Store(ash.data())
                                    .frames(mine.id()).stream()
                                            .filter(f -> f.id() > frame.id())
                                            .toList());
        }
    }

    @Test
    void queryParameterTakesPrecedenceOverHeader() {
        var session = ash.session("echo");
        session.ask("hello");
        var path = session.path() + "/stream?until=idle&after=0";

        var all =
                ash.api()
                        .exchange("GET", path, null, r -> r.setHeader("Last-Event-ID", "1000"))
                        .frames();

        assertThat(Frame.only("done", all)).hasSize(1);
    }

    @Test
    void untilIdleEndsStreamWithTurn() {
        var session = ash.session("echo");
        try (var turn = session.send("HANG");
                var stream = ash.api().follow(session.path() + "/stream?until=idle")) {
            turn.next("message");
            stream.next("message");

            session.post("interrupt").expect(200);

            assertThat(Frame.names(stream.rest())).endsWith("done");
            turn.rest();
        }
        assertThat(streamFrom(session, "0").frames()).extracting(Frame::event).endsWith("done");
    }

    @Test
    void sendsPromptsOnRequest() {
        var session = ash.session("echo");
        session.ask("first");
        session.ask("second");
        var path = session.path() + "/stream?until=idle";

        var frames = ash.api().get(path + "&prompts=true").frames();
        var prompts = Frame.only("prompt", frames);

        assertThat(prompts)
                .extracting(frame -> frame.json().path("content").asString())
                .containsExactly("first", "second");
        assertThat(frames)
                .filteredOn(frame -> frame.id() > 0)
                .isSortedAccordingTo((a, b) -> Long.compare(a.id(), b.id()));
        assertThat(frames)
                .filteredOn(frame -> !frame.event().equals("prompt"))
                .isEqualTo(ash.api().get(path).frames());
        assertThat(
                        Frame.names(
                                ash.api()
                                        .get(path + "&prompts=true&after=" + prompts.get(1).id())
                                        .frames()))
                .doesNotContain("prompt");
        ash.api().get(path + "&prompts=1").refused(400, "VALIDATION_FAILED", "prompts");
    }

    @Test
    void rejectsInvalidUntilParameter() {
        var path = ash.session("echo").path();

        ash.api().get(path + "/stream?until=nonsense").refused(400, "VALIDATION_FAILED", "until");
        ash.api().get(path + "/stream?until=").refused(400, "VALIDATION_FAILED", "until");
    }

    @Test
    void allSubscribersReceiveSameEvents() throws Exception {
        var session = ash.session("echo");
        var subscribed = new CountDownLatch(SUBSCRIBERS);
        var seen = new ArrayList<Future<List<Frame>>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < SUBSCRIBERS; i++) {
                seen.add(threads.submit(() -> subscribe(session, subscribed)));
            }
            subscribed.await();

            session.ask("TRICKLE 2000 50");

            for (var frames : seen) {
                assertThat(frames.get()).isEqualTo(new Store(ash.data()).frames(session.id()));
            }
        }
    }

    private static List<Frame> subscribe(TestSession session, CountDownLatch subscribed) {
        try (var stream = ash.api().follow(session.path() + "/stream")) {
            stream.next("session_start");
            subscribed.countDown();
            var frames = new ArrayList<Frame>();
            do {
                frames.add(stream.next());
            } while (!frames.getLast().event().equals("done"));
            return frames.stream().filter(frame -> frame.id() > 0).toList();
        }
    }

    @Test
    void pollReturnsExistingRowsImmediately() {
        var session = ash.session("echo");

        var begin = System.nanoTime();
        var rows = poll(session, "?wait=20000");

        assertThat(rows).hasSize(1); // lifecycle: created
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void pollWaitsForFirstRowOfType() {
        var session = ash.session("echo");
        var waiting =
                CompletableFuture.supplyAsync(
                        () -> poll(session, "?after=1&type=turn_complete&wait=20000"));

        session.ask("hello");

        var rows = waiting.join();
        assertThat(rows).hasSize(1);
        assertThat(rows.getFirst().path("type").asString()).isEqualTo("turn_complete");
    }

    @Test
    void pollReturnsEmptyAfterTimeout() {
        var session = ash.session("echo");

        var begin = System.nanoTime();
        var rows = poll(session, "?after=1&wait=300");

        assertThat(rows).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isGreaterThanOrEqualTo(Duration.ofMillis(300));
        for (var bad : List.of("-1", "50001", "soon")) {
            ash.api()
                    .get(session.path() + "/events?wait=" + bad)
                    .refused(400, "VALIDATION_FAILED", "wait");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {70, 1000})
    void readsLongLogInPages(int limit) {
        var session = ash.session("echo");
        session.ask("MANY 1500");

        for (var name : List.of("messages", "events")) {
            var sequences = new ArrayList<Long>();
            for (var page = page(session, name, 0, limit);
                    !page.isEmpty();
                    page = page(session, name, sequences.getLast(), limit)) {
                assertThat(page.size()).isLessThanOrEqualTo(limit);
                page.forEach(row -> sequences.add(row.path("sequence").asLong()));
            }
            assertThat(sequences)
                    .hasSizeGreaterThan(1500)
                    .isEqualTo(LongStream.rangeClosed(1, sequences.size()).boxed().toList());
        }
    }

    private static ApiResponse streamFrom(TestSession session, String position) {
        return ash.api()
                .exchange(
                        "GET",
                        session.path() + "/stream?until=idle",
                        null,
                        request -> request.setHeader("Last-Event-ID", position));
    }

    private static List<JsonNode> page(TestSession session, String name, long after, int limit) {
        return ash.api()
                .get(session.path() + "/%s?after=%d&limit=%d".formatted(name, after, limit))
                .expect(200)
                .at("/" + name)
                .valueStream()
                .toList();
    }

    private static List<JsonNode> poll(TestSession session, String query) {
        return ash.api()
                .get(session.path() + "/events" + query)
                .expect(200)
                .at("/events")
                .valueStream()
                .toList();
    }
}
