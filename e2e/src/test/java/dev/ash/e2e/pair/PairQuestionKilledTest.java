package dev.ash.e2e.pair;

import static dev.ash.e2e.pair.PairQuestionTest.approval;
import static dev.ash.e2e.pair.PairQuestionTest.open;
import static dev.ash.e2e.pair.PairQuestionTest.stuck;
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

/** A server that is killed while a pair waits for a person: nothing is asked or answered twice. */
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
    void theSameQuestionIsOpenAfterwards() throws Exception {
        try (var ash = AshExtension.demo().gateway().pairs().open()) {
            var world = new PairWorld(ash, "sums");
            var phone = PairPhone.pair(world.server());
            var id = stuck(world, "killed", Map.of());
            var before = open(world, id);
            var session = worker(world, id);
            phone.join(session);
            var first = phone.asked(session);

            world.killServer();

            var after = open(world, id);
            assertThat(after.path("id")).isEqualTo(before.path("id"));
            assertThat(world.show(id).path("question").asString()).contains("do not agree");
            phone = phone.again(world.server());
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

    /** On its way: decided, or decided and marked as given, or given and not acted upon. */
    @ParameterizedTest
    @ValueSource(strings = {"APPROVAL_DECIDED", "APPROVAL_SPENT", "APPROVAL_SENT"})
    void anAnswerThatWasOnItsWayIsNotLost(String point) throws Exception {
        try (var ash = AshExtension.demo().pairs().flag("-Dash.killAt=" + point).open()) {
            var world = new PairWorld(ash, "sums");
            var id = stuck(world, "answered", Map.of());
            var open = open(world, id);
            var session = worker(world, id);
            try {
                world.server()
                        .api()
                        .post(
                                "/api/pairs/" + id + "/answer",
                                Map.of("decision", "reject", "message", "no"));
            } catch (RuntimeException e) {
                // It may have died before it said that it took it.
            }
            assertThat(world.server().process().waitFor(60, TimeUnit.SECONDS)).isTrue();

            world.killServer(); // which is dead

            var end = world.awaitEnd(id);
            assertThat(end.path("outcome").asString()).isEqualTo("rejected");
            assertThat(end.path("reason").asString()).endsWith(": no");
            assertThat(approval(world, open).path("status").asString()).isEqualTo("modified");
            assertThat(approval(world, open).path("decidedBy").asString()).isEqualTo("api");
            assertThat(asked(world, session)).isEqualTo(1);
        }
    }

    /** A sandbox that rests is no reason to forget what was asked in its session. */
    @Test
    void itStaysOpenWhileTheSessionSleeps() {
        try (var ash = AshExtension.demo().pairs().with("ASH_IDLE_TIMEOUT_MS", "300").open()) {
            var world = new PairWorld(ash, "sums");
            var id = stuck(world, "asleep", Map.of());
            var first = open(world, id);
            await().atMost(Duration.ofMinutes(1)).until(() -> processes(world) == 1); // the server

            answer(world, id, "go_on");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> !open(world, id).path("id").equals(first.path("id")));
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

    /** SIGTERM ends sandboxes, not questions. */
    @Test
    void aServerThatIsStoppedLeavesItOpen() {
        try (var ash = AshExtension.demo().pairs().open()) {
            var world = new PairWorld(ash, "sums");
            var id = stuck(world, "left", Map.of());
            var open = open(world, id);
            var session = worker(world, id);

            world.stopServer();

            assertThat(open(world, id).path("id")).isEqualTo(open.path("id"));
            answer(world, id, "accept");
            assertThat(world.awaitEnd(id).path("outcome").asString()).isEqualTo("completed");
            assertThat(asked(world, session)).isEqualTo(1);
        }
    }
}
