package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Checks that twenty concurrent sessions neither mix their events nor block each other. */
@Busy
class ManySessionsTest {
    private static final int SESSIONS = 20;
    private static final int TURNS = 3;

    @Test
    void concurrentSessionsDoNotMixEvents() throws Exception {
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py").open()) {
            var blocked = ash.session("echo");
            try (var hanging = blocked.send("HANG")) {
                hanging.next("message");

                runConcurrently(SESSIONS, number -> runTurns(ash.server(), "echo", number));

                blocked.post("interrupt").expect(200);
                hanging.rest();
            }
        }
    }

    @Test
    void runsTwentyDemoSessionsConcurrently() throws Exception {
        try (var ash = AshExtension.demo().agent("hello").open()) {
            runConcurrently(
                    SESSIONS,
                    number -> {
                        var session = ash.session("hello");
                        for (int turn = 0; turn < TURNS; turn++) {
                            var frames = session.ask("session " + number + " turn " + turn);
                            assertThat(frames.getLast().json().path("sessionId").asString())
                                    .isEqualTo(session.id());
                        }
                        assertThat(prompts(session)).isEqualTo(expected(session(number)));
                    });

            assertThat(ash.api().get("/health").at("/activeSessions").asInt()).isEqualTo(SESSIONS);
        }
    }

    private interface Task {
        void run(int number) throws Exception;
    }

    private static void runTurns(AshServer server, String agent, int number) {
        var session = server.session(agent);
        for (int turn = 0; turn < TURNS; turn++) {
            var prompt = session(number) + " turn " + turn;
            var frames = session.ask(prompt);
            assertThat(Frame.said(frames)).isEqualTo(prompt);
            assertThat(Frame.only("message", frames)).hasSize(2);
        }
        assertThat(prompts(session)).isEqualTo(expected(session(number)));
    }

    private static String session(int number) {
        return "session " + number;
    }

    private static List<String> expected(String session) {
        return IntStream.range(0, TURNS)
                .mapToObj(
                        turn ->
                                "{\"type\":\"user\",\"content\":\"%s turn %d\"}"
                                        .formatted(session, turn))
                .toList();
    }

    private static List<String> prompts(TestSession session) {
        return session.messages().stream()
                .filter(row -> row.path("role").asString().equals("user"))
                .map(row -> row.path("content").asString())
                .toList();
    }

    private static void runConcurrently(int count, Task task) throws Exception {
        var calls = new ArrayList<Callable<Void>>();
        for (int i = 0; i < count; i++) {
            var number = i;
            calls.add(
                    () -> {
                        task.run(number);
                        return null;
                    });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(calls)) {
                done.get();
            }
        }
    }
}
