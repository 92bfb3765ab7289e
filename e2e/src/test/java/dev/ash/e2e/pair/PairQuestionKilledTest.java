package dev.ash.e2e.pair;

import static dev.ash.e2e.pair.PairQuestionTest.approval;
import static dev.ash.e2e.pair.PairQuestionTest.awaitQuestion;
import static dev.ash.e2e.pair.PairQuestionTest.startStalemate;
import static dev.ash.e2e.pair.PairQuestionTest.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Processes;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills or stops the server of a pair with an open question: no question or answer is lost or
 * repeated.
 */
class PairQuestionKilledTest {
    private static int asked(PairWorld world, String session) {
        return world.server()
                .api()
                .get("/api/approvals?sessionId=" + session)
                .expect(200)
                .at("/approvals")
                .size();
    }

    @Test
    void keepsTheQuestionOpenAfterAKill() throws Exception {
        try (var ash = AshExtension.demo().gateway().pairs().open()) {
            var world = new PairWorld(ash, "sums");
            var phone = PairPhone.pair(world.server());
            var id = startStalemate(world, "killed", Map.of());
            var before = awaitQuestion(world, id);
            var session = worker(world, id);
            phone.join(session);
            var first = phone.asked(session);

            world.killServer();

            var after = awaitQuestion(world, id);
            assertThat(after.path("id")).isEqualTo(before.path("id"));
            assertThat(world.show(id).path("question").asString()).contains("do not agree");
            phone = phone.reconnect(world.server());
            assertThat(
                            phone.ack
                                    .path("active_sessions")
                                    .valueStream()
                                    .map(each -> each.path("title").asString()))
                    .contains("Pair 1 of killed, worker");
            phone.join(session);
            var again = phone.asked(session);
            assertThat(again).isEqualTo(first);
            phone.answer(again, "Accept");

            assertThat(world.awaitEnd(id).path("outcome").asString()).isEqualTo("completed");
            assertThat(approval(world, before).path("decidedBy").asString())
                    .isEqualTo("device:phone");
            assertThat(asked(world, session)).isEqualTo(1);
            phone.close();
        }
    }

    /** Kills the server after the decision, after marking it as spent, and after sending it. */
    @ParameterizedTest
    @ValueSource(strings = {"APPROVAL_DECIDED", "APPROVAL_SPENT", "APPROVAL_SENT"})
    void doesNotLoseAnAnswerInFlight(String point) throws Exception {
        try (var ash = AshExtension.demo().pairs().flag("-Dash.killAt=" + point).open()) {
            var world = new PairWorld(ash, "sums");
            var id = startStalemate(world, "answered", Map.of());
            var open = awaitQuestion(world, id);
            var session = worker(world, id);
            try {
                world.server()
                        .api()
                        .post(
                                "/api/pairs/" + id + "/answer",
                                Map.of("decision", "reject", "message", "no"));
            } catch (RuntimeException e) {
                // The server may have died before it sent the response.
            }
            assertThat(world.server().process().waitFor(60, TimeUnit.SECONDS)).isTrue();

            world.killServer(); // already dead

            var end = world.awaitEnd(id);
            assertThat(end.path("outcome").asString()).isEqualTo("rejected");
            assertThat(end.path("reason").asString()).endsWith(": no");
            assertThat(approval(world, open).path("status").asString()).isEqualTo("modified");
            assertThat(approval(world, open).path("decidedBy").asString()).isEqualTo("api");
            assertThat(asked(world, session)).isEqualTo(1);
        }
    }

    /** The question is independent of the sandbox of its session. */
    @Test
    void keepsTheQuestionOpenWhileTheSessionSleeps() {
        try (var ash = AshExtension.demo().pairs().with("ASH_IDLE_TIMEOUT_MS", "300").open()) {
            var world = new PairWorld(ash, "sums");
            var id = startStalemate(world, "asleep", Map.of());
            var first = awaitQuestion(world, id);
            await().atMost(Duration.ofMinutes(1)).until(() -> processes(world) == 1); // the server

            answer(world, id, "go_on");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !awaitQuestion(world, id).path("id").equals(first.path("id")));
            answer(world, id, "accept");

            assertThat(world.awaitEnd(id).path("outcome").asString()).isEqualTo("completed");
        }
    }

    private static int processes(PairWorld world) {
        return Processes.matching(process -> process.mentions(world.server().marker())).size();
    }

    private static void answer(PairWorld world, String id, String decision) {
        world.server()
                .api()
                .post("/api/pairs/" + id + "/answer", Map.of("decision", decision))
                .expect(202);
    }

    /** SIGTERM terminates sandboxes but keeps questions. */
    @Test
    void keepsTheQuestionOpenAfterAStop() {
        try (var ash = AshExtension.demo().pairs().open()) {
            var world = new PairWorld(ash, "sums");
            var id = startStalemate(world, "left", Map.of());
            var open = awaitQuestion(world, id);
            var session = worker(world, id);

            world.stopServer();

            assertThat(awaitQuestion(world, id).path("id")).isEqualTo(open.path("id"));
            answer(world, id, "accept");
            assertThat(world.awaitEnd(id).path("outcome").asString()).isEqualTo("completed");
            assertThat(asked(world, session)).isEqualTo(1);
        }
    }
}
