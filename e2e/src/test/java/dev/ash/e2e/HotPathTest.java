package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the main path with the built-in engine, from deployment to the last frame. */
class HotPathTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo().agent("hello");

    @Test
    void answersPromptWithStreamThatEndsWithDone() {
        var session = ash.session("hello");

        try (var stream = session.send("hello")) {
            assertThat(stream.headers().firstValue("content-type")).contains("text/event-stream");
            assertThat(stream.headers().firstValue("cache-control")).contains("no-cache");
            var frames = stream.rest();

            assertThat(frames.getFirst().event()).isEqualTo("session_start");
            assertThat(frames.getFirst().json().path("sessionId").asString())
                    .isEqualTo(session.id());
            assertThat(Frame.names(frames)).contains("message", "tool_use", "turn_complete");
            assertThat(frames.getLast().json().path("sessionId").asString())
                    .isEqualTo(session.id());
            assertThat(Frame.said(frames)).containsIgnoringCase("demo");
        }
    }

    @Test
    void onlyCommittedFramesHaveIds() {
        var frames = ash.session("hello").ask("hello");

        var numbered = frames.stream().filter(frame -> frame.id() > 0).toList();
        assertThat(Frame.names(numbered)).containsOnly("message", "done");
        assertThat(numbered).extracting(Frame::id).isSorted().doesNotHaveDuplicates();
        assertThat(frames)
                .filteredOn(frame -> List.of("message", "error", "done").contains(frame.event()))
                .allSatisfy(frame -> assertThat(frame.id()).isPositive());
    }

    @Test
    void messageErrorAndDoneFramesAreComplete() {
        var session = ash.session("hello");

        var known =
                session.ask("hello").stream()
                        .filter(f -> List.of("message", "error", "done").contains(f.event()))
                        .toList();

        assertThat(known.getLast().event()).isEqualTo("done");
        assertThat(known.get(known.size() - 2).type()).isEqualTo("result");
        assertThat(known).extracting(Frame::type).contains("assistant");
    }

    @Test
    void sendsTextDeltasForPartialMessages() {
        var session = ash.session("hello");

        List<Frame> frames;
        try (var stream = session.send("hello", Map.of("includePartialMessages", true))) {
            frames = stream.rest();
        }

        var deltas = new StringBuilder();
        Frame.only("text_delta", frames)
                .forEach(frame -> deltas.append(frame.json().path("delta").asString()));
        assertThat(Frame.only("text_delta", frames)).hasSizeGreaterThan(1);
        assertThat(deltas.toString()).isEqualTo(Frame.said(frames));
        assertThat(Frame.names(session.ask("again"))).doesNotContain("text_delta");
    }

    @Test
    void acceptsContentBlocks() {
        var session = ash.session("hello");
        var blocks = List.of(Map.of("type", "text", "text", "hello in a block"));

        try (var stream = session.send(blocks, Map.of())) {
            assertThat(Frame.names(stream.rest())).contains("message");
        }

        assertThat(session.messages().getFirst().path("content").asString())
                .contains("hello in a block");
    }

    @Test
    void numbersMessagesAndEventsFromOneWithoutGaps() {
        var session = ash.session("hello");
        session.ask("first");
        session.ask("second");

        var messages = session.messages();
        var events = session.events();

        assertThat(messages)
                .extracting(row -> row.path("sequence").asLong())
                .containsExactlyElementsOf(upTo(messages.size()));
        assertThat(messages.getFirst().path("role").asString()).isEqualTo("user");
        assertThat(messages.getFirst().path("content").asString())
                .isEqualTo("{\"type\":\"user\",\"content\":\"first\"}");
        assertThat(messages)
                .extracting(row -> row.path("role").asString())
                .containsOnly("user", "assistant");
        assertThat(events)
                .extracting(row -> row.path("sequence").asLong())
                .containsExactlyElementsOf(upTo(events.size()));
        assertThat(events.getFirst().path("type").asString()).isEqualTo("lifecycle");
        assertThat(events.getFirst().path("data").asString()).contains("\"created\"");
        assertThat(events).extracting(row -> row.path("type").asString()).contains("turn_complete");
    }

    @Test
    void pagesMessagesByLimitAndAfter() {
        var session = ash.session("hello");
        session.ask("first");
        var all = session.messages();

        var page = ash.api().get(session.path() + "/messages?after=1&limit=1").expect(200);

        assertThat(page.at("/messages")).hasSize(1);
        assertThat(page.at("/messages/0/id")).isEqualTo(all.get(1).path("id"));
    }

    @Test
    void pausesResumesStopsAndEndsSession() {
        var session = ash.session("hello");
        assertThat(session.created().path("status").asString()).isEqualTo("active");
        session.exec("echo kept > note.txt");

        assertThat(session.post("pause").expect(200).at("/session/status").asString())
                .isEqualTo("paused");
        assertThat(session.post("resume").expect(200).at("/session/status").asString())
                .isEqualTo("active");
        assertThat(session.post("stop").expect(200).at("/session/status").asString())
                .isEqualTo("stopped");
        assertThat(session.post("resume").expect(200).at("/session/status").asString())
                .isEqualTo("active");

        assertThat(session.exec("cat note.txt").path("stdout").asString()).isEqualTo("kept\n");
        assertThat(Frame.names(session.ask("still there?"))).contains("message");
        assertThat(session.end().expect(200).at("/session/status").asString()).isEqualTo("ended");
        session.end().expect(200); // idempotent
        assertThat(session.events())
                .filteredOn(row -> row.path("type").asString().equals("lifecycle"))
                .extracting(row -> row.path("data").asString())
                .satisfiesExactly(
                        data -> assertThat(data).contains("created"),
                        data -> assertThat(data).contains("paused"),
                        data -> assertThat(data).contains("resumed").contains("warm"),
                        data -> assertThat(data).contains("stopped"),
                        data -> assertThat(data).contains("resumed").contains("cold"),
                        data -> assertThat(data).contains("ended"));
    }

    @Test
    void listsSessionsNewestFirstWithFilterPagesAndTotal() {
        ash.deploy("listed");
        var first = ash.session("listed");
        var second = ash.session("listed");
        first.post("pause").expect(200);

        var all = ash.api().get("/api/sessions?agent=listed").expect(200);
        assertThat(all.at("/sessions").valueStream().map(row -> row.path("id").asString()))
                .containsExactly(second.id(), first.id());
        assertThat(all.at("/total").asInt()).isEqualTo(2);

        var page = ash.api().get("/api/sessions?agent=listed&limit=1&offset=1").expect(200);
        assertThat(page.at("/sessions").valueStream().map(row -> row.path("id").asString()))
                .containsExactly(first.id());
        assertThat(page.at("/total").asInt()).isEqualTo(2);

        var paused = ash.api().get("/api/sessions?agent=listed&status=paused").expect(200);
        assertThat(paused.at("/sessions").valueStream().map(row -> row.path("id").asString()))
                .containsExactly(first.id());
        assertThat(page.at("/sessions/0").has("runnerId")).isTrue();
        assertThat(page.at("/sessions/0/runnerId").isNull()).isTrue();
    }

    @Test
    void runsCommandsInWorkspaceAndReturnsExitCodes() {
        var session = ash.session("hello");

        var result = session.exec("pwd; echo warn >&2; exit 3");

        assertThat(result.path("exitCode").asInt()).isEqualTo(3);
        assertThat(result.path("stderr").asString()).isEqualTo("warn\n");
        assertThat(session.exec("cat CLAUDE.md").path("stdout").asString())
                .isEqualTo("You are hello.\n");
        var late =
                ash.api()
                        .post(
                                session.path() + "/exec",
                                Map.of("command", "sleep 600", "timeout", 200))
                        .expect(200);
        assertThat(late.at("/exitCode").asInt()).isNotZero();
        assertThat(session.exec("pgrep -f 'sleep 60[0]' || echo none").path("stdout").asString())
                .isEqualTo("none\n");
    }

    @Test
    void changesSessionConfiguration() {
        var session = ash.session("hello");

        var changed =
                ash.api()
                        .patch(session.path() + "/config", Map.of("model", "claude-other"))
                        .expect(200);

        assertThat(changed.at("/session/model").asString()).isEqualTo("claude-other");
        assertThat(ash.api().get(session.path()).at("/session/model").asString())
                .isEqualTo("claude-other");
    }

    @Test
    void reportsHealthWithoutKey() {
        ash.session("hello");

        var health =
                ash.api().exchange("GET", "/health", null, r -> r.setHeader("Authorization", ""));

        health.expect(200);
        assertThat(health.at("/status").asString()).isEqualTo("ok");
        assertThat(health.at("/activeSessions").asInt()).isPositive();
        assertThat(health.at("/activeSandboxes").asInt()).isPositive();
        assertThat(health.at("/pool/maxCapacity").asInt()).isEqualTo(100);
        assertThat(health.at("/isolation/kind").asString()).isIn("bubblewrap", "none");
    }

    @Test
    void returnsSandboxLogs() {
        var session = ash.session("hello");

        var logs = ash.api().get(session.path() + "/logs").expect(200);

        assertThat(logs.at("/logs").isArray()).isTrue();
        assertThat(logs.at("/source").asString()).isEqualTo("sandbox");
    }

    @Test
    void turnContinuesAfterClientDisconnects() {
        var session = ash.session("hello");

        try (var stream = session.send("hello")) {
            stream.next("message");
        }

        await().atMost(Duration.ofMinutes(1))
                .until(
                        () ->
                                session.events().stream()
                                        .anyMatch(
                                                row ->
                                                        row.path("type")
                                                                .asString()
                                                                .equals("turn_complete")));
        assertThat(Frame.names(session.ask("and again"))).contains("message");
    }

    private static List<Long> upTo(int size) {
        return LongStream.rangeClosed(1, size).boxed().toList();
    }
}
