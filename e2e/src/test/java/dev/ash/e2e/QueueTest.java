package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests queued prompts: they run in order, one at a time, and none is lost. */
class QueueTest {
    private static final Map<String, String> QUEUE = Map.of("whenBusy", "queue");
    private static final int CAPACITY = 100;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py");

    @Test
    void runsQueuedPromptsInFifoOrder() {
        var session = ash.session("echo");
        var queued = new ArrayList<FrameReader>();
        try (var first = session.send("HANG", QUEUE)) {
            first.next("message");
            for (int i = 0; i < 10; i++) {
                queued.add(session.send("prompt " + i, QUEUE));
            }

            session.post("interrupt").expect(200);

            first.rest();
            for (int i = 0; i < 10; i++) {
                assertThat(Frame.said(queued.get(i).rest())).isEqualTo("prompt " + i);
            }
        }
        assertOneAtATime(ash.server(), session.id());
        assertThat(prompts(session)).startsWith("HANG", "prompt 0", "prompt 1").hasSize(11);
    }

    @Test
    void runsQueuedPromptImmediatelyWhenIdle() {
        try (var turn = ash.session("echo").send("alone", QUEUE)) {
            assertThat(Frame.said(turn.rest())).isEqualTo("alone");
        }
    }

    @Test
    void rejectsUnqueuedPromptWhenBusy() {
        var session = ash.session("echo");
        try (var turn = session.send("HANG")) {
            turn.next("message");
            try (var waiting = session.send("later", QUEUE)) {
                send(session, Map.of("content", "x")).refused(409, "SESSION_BUSY", "queue");
                send(session, Map.of("content", "x", "whenBusy", "reject"))
                        .refused(409, "SESSION_BUSY", "queue");

                session.post("interrupt").expect(200);

                turn.rest();
                waiting.rest();
            }
        }
        assertThat(prompts(session)).containsExactly("HANG", "later");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"wait\"", "\"QUEUE\"", "\"\"", "1", "true", "[]"})
    void rejectsInvalidWhenBusyValues(String value) {
        var session = ash.session("echo");

        send(session, "{\"content\":\"x\",\"whenBusy\":%s}".formatted(value))
                .refused(400, "VALIDATION_FAILED", "whenBusy");
        assertThat(session.messages()).isEmpty();
    }

    @Test
    void limitsQueueAndStopFailsQueuedPrompts() {
        var session = ash.session("echo");
        var streams = new ArrayList<FrameReader>();
        streams.add(session.send("HANG"));
        streams.getFirst().next("message");
        for (int i = 0; i < CAPACITY; i++) {
            streams.add(session.send("prompt " + i, QUEUE));
        }

        send(session, Map.of("content", "one too many", "whenBusy", "queue"))
                .refused(429, "RATE_LIMITED", "100");
        session.post("stop").expect(200);

        for (var stream : streams) {
            assertThat(Frame.names(stream.rest())).endsWith("error", "done");
        }
        session.post("resume").expect(200);
        assertThat(Frame.said(session.ask("afterwards"))).isEqualTo("afterwards");
        assertThat(prompts(session)).containsExactly("HANG", "afterwards");
    }

    @Test
    void turnsContinueAfterClientsDisconnect() {
        var session = ash.session("echo");
        try (var turn = session.send("TRICKLE 200 1000")) {
            turn.next("message");
            session.send("client disconnects", QUEUE).close();
        }

        awaitTurns(ash.server(), session, 2);

        assertThat(Frame.said(session.ask("and on"))).isEqualTo("and on");
        assertThat(session.messages())
                .anyMatch(row -> row.toString().contains("client disconnects"));
    }

    @Test
    void queuedPromptsSurviveServerKillAndRunOnce() throws Exception {
        var directory = TestDirectory.create();
        String id;
        try (var first = AshServer.start(Map.of(), directory)) {
            first.deploy("hello");
            var session = first.session("hello");
            id = session.id();
            try (var turn = session.send("demo: slow 15")) {
                for (int i = 0; i < 5; i++) {
                    session.send("prompt " + i, QUEUE).close();
                }
                turn.next("session_start");
            }
            first.kill();

            try (var second = AshServer.start(Map.of(), directory)) {
                var again =
                        new TestSession(
                                second, second.api().get("/api/sessions/" + id).at("/session"));
                awaitTurns(second, again, 6);

                assertThat(prompts(again))
                        .containsExactly(
                                "demo: slow 15",
                                "prompt 0",
                                "prompt 1",
                                "prompt 2",
                                "prompt 3",
                                "prompt 4");
                assertOneAtATime(second, id);
                assertThat(new Store(second.data()).frames(id))
                        .filteredOn(frame -> frame.data().contains("\"subtype\":\"success\""))
                        .as("results")
                        .hasSize(6);
                assertThat(again.status()).isEqualTo("active");
            }
        }
    }

    /** Asserts that no event of a turn precedes the end of the previous turn in the log. */
    private static void assertOneAtATime(AshServer server, String session) {
        var running = "";
        var finished = new ArrayList<String>();
        for (var row : new Store(server.data()).log(session)) {
            if (!row.turn().isEmpty()) {
                assertThat(running).isIn("", row.turn());
                assertThat(finished).doesNotContain(row.turn());
                running = row.turn();
                if (row.type().equals("done")) {
                    finished.add(running);
                    running = "";
                }
            }
        }
        assertThat(running).isEmpty();
    }

    private static void awaitTurns(AshServer server, TestSession session, int count) {
        var store = new Store(server.data());
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> Frame.only("done", store.frames(session.id())).size() == count);
    }

    private static List<String> prompts(TestSession session) {
        return session.messages().stream()
                .filter(row -> row.path("role").asString().equals("user"))
                .map(row -> row.path("content").asString())
                .filter(content -> !content.contains("tool_result"))
                .map(content -> content.replaceAll(".*\"content\":\"(.*)\"}", "$1"))
                .toList();
    }

    private static ApiResponse send(TestSession session, Object body) {
        return ash.api().post(session.path() + "/messages", body);
    }
}
