package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.ConcurrentTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * Tests the question about a disagreement of peers, answered on a device, as an approval or at the
 * pair.
 */
class PairQuestionTest {

    @RegisterExtension static final AshExtension ash = AshExtension.demo().gateway().pairs();

    private static PairWorld world;
    private static PairPhone phone;

    @BeforeAll
    static void start() {
        world = new PairWorld(ash, "sums");
        phone = PairPhone.pair(world.server());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    /**
     * Starts a run without progress: the demo engine writes a file that this repository ignores.
     */
    static String startStalemate(PairWorld world, String name, Map<String, ?> more) {
        var repo = UserRepo.make(world.repo.path().resolveSibling(name));
        try {
            Files.writeString(repo.path().resolve(".gitignore"), "PAIR_DEMO.md\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        repo.git("add", "--all");
        repo.git("commit", "--quiet", "--message=second");
        repo.chown();
        var request = new HashMap<String, Object>(more);
        request.put("repository", repo.path().toString());
        request.put("asksPerson", true);
        request.put("stalemateRounds", 2);
        return world.start(request);
    }

    static String worker(PairWorld world, String id) {
        return world.show(id).path("worker").path("session").asString();
    }

    /** Waits for the open question of a run. */
    static JsonNode awaitQuestion(PairWorld world, String id) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> pending(world, id).size() == 1);
        return pending(world, id).getFirst();
    }

    static List<JsonNode> pending(PairWorld world, String id) {
        var session = world.show(id).path("worker").path("session").asString("");
        return session.isEmpty()
                ? List.of()
                : world.server()
                        .api()
                        .get("/api/approvals?status=pending&sessionId=" + session)
                        .expect(200)
                        .at("/approvals")
                        .valueStream()
                        .toList();
    }

    static JsonNode approval(PairWorld world, JsonNode of) {
        return world.server()
                .api()
                .get("/api/approvals/" + of.path("id").asString())
                .expect(200)
                .at("/approval");
    }

    private static JsonNode end(String id, String outcome) {
        var end = world.awaitEnd(id);
        assertThat(end.path("outcome").asString()).as(end.toPrettyString()).isEqualTo(outcome);
        assertThat(end.path("question").isNull() || end.path("question").isMissingNode()).isTrue();
        assertThat(pending(world, id)).isEmpty();
        return end;
    }

    @Test
    void asksAndAcceptsTheAnswerOnADevice() {
        var id = startStalemate(world, "phone", Map.of());
        var notified =
                phone.client()
                        .await(
                                "notification of the question",
                                frame -> frame.at("/payload/body").asString("").contains("phone"))
                        .path("payload");
        assertThat(notified.path("notification_type").asString()).isEqualTo("question");
        assertThat(notified.path("body").asString())
                .isEqualTo("Pair 1 of phone: the peers do not agree. What now?");
        var session = worker(world, id);
        assertThat(notified.path("session_id").asString()).isEqualTo(session);

        phone.join(session);
        var asked = phone.asked(session);
        assertThat(asked.path("tool").asString()).isEqualTo("AskUserQuestion");
        assertThat(asked.path("source").asString()).isEqualTo("agent_sdk");
        var question = asked.at("/params/questions/0");
        assertThat(question.path("question").asString())
                .startsWith("Pair 1 of phone: the peers do not agree")
                .contains("Write a file that has a sum", "It is in PAIR_DEMO.md");
        assertThat(question.path("header").asString()).isEqualTo("Pair 1");
        assertThat(question.path("multiSelect").asBoolean(true)).isFalse();
        assertThat(
                        question.path("options")
                                .valueStream()
                                .map(option -> option.path("label").asString()))
                .containsExactly("Another round", "Accept", "Reject");
        assertThat(world.show(id).path("state").asString()).isEqualTo("input-required");
        var open = awaitQuestion(world, id);
        assertThat(open.path("source").asString()).isEqualTo("pair");

        phone.answer(asked, "Accept");

        end(id, "completed");
        assertThat(phone.await("session_end", session).path("reason").asString())
                .isEqualTo("completed");
        assertThat(approval(world, open).path("decidedBy").asString()).isEqualTo("device:phone");
        assertThat(world.read(id, "transcript.jsonl")).contains("accept, by device:phone");
        assertThat(phone.resolved(session).path("decided_by").asString()).isEqualTo("device:phone");
    }

    @Test
    void withdrawsTheQuestionFromDevicesWhenAnsweredAtThePair() {
        var id = startStalemate(world, "pairs", Map.of());
        var open = awaitQuestion(world, id);
        try (var other = PairPhone.pair(world.server())) {
            other.join(worker(world, id));
            var asked = other.asked(worker(world, id));

            world.server()
                    .api()
                    .post(
                            "/api/pairs/" + id + "/answer",
                            Map.of("decision", "reject", "message", "not like that"))
                    .expect(202);

            var resolved = other.resolved(worker(world, id));
            assertThat(resolved.path("decision").asString()).isEqualTo("modified");
            assertThat(resolved.path("decided_by").asString()).isEqualTo("api");
            other.answer(asked, "Accept");
            assertThat(other.await("error").path("code").asString()).isEqualTo("TOOL_ERROR");
        }
        var end = end(id, "rejected");
        assertThat(end.path("reason").asString()).contains("not like that");
        assertThat(approval(world, open).path("message").asString()).isEqualTo("not like that");
    }

    @Test
    void acceptsOneOfManyConcurrentAnswers() throws Exception {
        var id = startStalemate(world, "race", Map.of());
        var open = awaitQuestion(world, id);
        var question = open.at("/input/questions/0/question").asString();
        var approvalPath = "/api/approvals/" + open.path("id").asString();
        var answerPath = "/api/pairs/" + id + "/answer";
        var answers = Map.of("answers", Map.of(question, "Reject"));
        var statuses =
                ConcurrentTasks.runAll(
                        12,
                        number ->
                                number % 2 == 0
                                        ? status(answerPath, Map.of("decision", "accept"))
                                        : status(
                                                approvalPath,
                                                Map.of("decision", "modified", "input", answers)));

        assertThat(statuses).filteredOn(status -> status < 300).hasSize(1);
        assertThat(statuses).filteredOn(status -> status >= 300).isSubsetOf(409, 400);
        var decided = approval(world, open).at("/decidedInput/answers").properties();
        assertThat(world.awaitEnd(id).path("outcome").asString())
                .isEqualTo(
                        decided.iterator().next().getValue().asString().equals("Accept")
                                ? "completed"
                                : "rejected");
    }

    private static int status(String path, Object body) {
        return world.server().api().post(path, body).status();
    }

    @Test
    void startsAnotherRoundForTextAndDismissal() {
        var id = startStalemate(world, "words", Map.of());
        awaitQuestion(world, id);
        var session = worker(world, id);
        phone.join(session);

        phone.answer(phone.asked(session), "Write it in German");
        var second = phone.asked(session);
        assertThat(world.messages(id))
                .anyMatch(
                        message ->
                                message.path("from").asString().equals("human")
                                        && message.path("content")
                                                .asString()
                                                .matches("Round [0-9]+: Write it in German"));
        int round = world.show(id).path("round").asInt();

        phone.dismiss(second);
        var third = phone.asked(session);
        assertThat(world.show(id).path("round").asInt()).isGreaterThan(round);
        assertThat(third.path("tool_call_id")).isNotEqualTo(second.path("tool_call_id"));

        phone.answer(third, "reject");
        end(id, "rejected");
    }

    @Test
    void withdrawsTheQuestionOfAStoppedOrTimedOutRun() {
        var stopped = startStalemate(world, "stopped", Map.of());
        var first = awaitQuestion(world, stopped);
        world.server().api().postNothing("/api/pairs/" + stopped + "/stop").expect(202);
        end(stopped, "cancelled");
        assertThat(approval(world, first).path("status").asString()).isEqualTo("cancelled");
        assertThat(approval(world, first).path("decidedBy").asString()).isEqualTo("pair");

        world.server()
                .api()
                .post("/api/pairs/" + stopped + "/resume", Map.of("timeout", 3_000))
                .expect(200);
        end(stopped, "stalemate");
        var all =
                world.server()
                        .api()
                        .get("/api/approvals?sessionId=" + worker(world, stopped))
                        .at("/approvals");
        assertThat(all.valueStream().map(each -> each.path("status").asString()))
                .containsExactly("cancelled", "cancelled");
    }

    @Test
    void keepsTheQuestionAfterItsSessionEnds() {
        var id = startStalemate(world, "ended", Map.of());
        var open = awaitQuestion(world, id);
        world.server().api().delete("/api/sessions/" + worker(world, id)).expect(200);

        assertThat(awaitQuestion(world, id).path("id")).isEqualTo(open.path("id"));
        world.server()
                .api()
                .post("/api/pairs/" + id + "/answer", Map.of("decision", "accept"))
                .expect(202);
        end(id, "completed");
    }

    @Test
    void givesSessionsOfPeersATitle() {
        var id = startStalemate(world, "titled", Map.of());
        awaitQuestion(world, id);
        try (var other = PairPhone.pair(world.server())) {
            assertThat(
                            other.ack
                                    .path("active_sessions")
                                    .valueStream()
                                    .map(session -> session.path("title").asString()))
                    .contains("Pair 1 of titled, worker", "Pair 1 of titled, reviewer");
        }
        world.server().api().postNothing("/api/pairs/" + id + "/stop").expect(202);
        end(id, "cancelled");
    }

    @Test
    void runsAMessageFromADeviceAsASeparateTurn() {
        var id = startStalemate(world, "said", Map.of());
        awaitQuestion(world, id);
        var session = worker(world, id);
        phone.join(session);
        var asked = phone.asked(session);

        phone.say(session, "demo: run echo said by hand");
        phone.client()
                .await(
                        "result of the user's turn",
                        frame ->
                                frame.at("/payload/result/content")
                                        .asString("")
                                        .equals("said by hand\n"));
        phone.say(session, "demo: slow 30"); // still running when the worker's turn is requested
        phone.answer(asked, "Another round");
        var second = phone.asked(session);

        assertThat(second.at("/params/questions/0/question").asString())
                .as("statement from the worker's own turn")
                .contains("It is in PAIR_DEMO.md")
                .doesNotContain("said by hand", "slow");
        phone.answer(second, "Accept");
        end(id, "completed");
    }

    @Test
    void approvesToolsOfPeersOnADevice() {
        world.server()
                .deploy(
                        "careful",
                        Map.of(
                                "CLAUDE.md",
                                "Ask before you act.\n",
                                ".ash/agent.json",
                                "{\"engine\":\"demo\",\"permissionMode\":\"ask\"}"));
        var repo = UserRepo.make(world.repo.path().resolveSibling("careful"));
        var id =
                world.start(
                        Map.of(
                                "repository",
                                repo.path().toString(),
                                "worker",
                                "careful",
                                "mode",
                                "single"));
        awaitQuestion(world, id);
        var session = worker(world, id);
        phone.join(session);
        for (int i = 0; i < 2; i++) {
            phone.approve(phone.await("approval_required", session));
        }
        end(id, "completed");
    }
}
