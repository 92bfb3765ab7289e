package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AtOnce;
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

/** A disagreement of peers, wherever it is answered: on a device, as an approval, at the pair. */
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

    /** The demo writes a file that this repository ignores, so nothing ever moves. */
    static String stuck(PairWorld world, String name, Map<String, ?> more) {
        var repo = UserRepo.make(world.repo.path().resolveSibling(name));
        try {
            Files.writeString(repo.path().resolve(".gitignore"), "PAIR_DEMO.md\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        repo.git("add", "--all");
        repo.git("commit", "--quiet", "--message=second");
        repo.own();
        var wishes = new HashMap<String, Object>(more);
        wishes.put("repository", repo.path().toString());
        wishes.put("asksPerson", true);
        wishes.put("stalemateRounds", 2);
        return world.start(wishes);
    }

    static String worker(PairWorld world, String id) {
        return world.show(id).path("worker").path("session").asString();
    }

    /** The approval that a run waits for. */
    static JsonNode open(PairWorld world, String id) {
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
    void itIsAskedOnADeviceAndAnsweredThere() {
        var id = stuck(world, "phone", Map.of());
        var notified =
                phone.client()
                        .await(
                                "the notification of the question",
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
        var open = open(world, id);
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
    void answeredAtThePairItIsGoneFromDevices() {
        var id = stuck(world, "pairs", Map.of());
        var open = open(world, id);
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
    void ofManyAnswersOneCounts() throws Exception {
        var id = stuck(world, "race", Map.of());
        var open = open(world, id);
        var question = open.at("/input/questions/0/question").asString();
        var atApproval = "/api/approvals/" + open.path("id").asString();
        var atPair = "/api/pairs/" + id + "/answer";
        var answers = Map.of("answers", Map.of(question, "Reject"));
        var statuses =
                AtOnce.all(
                        12,
                        number ->
                                number % 2 == 0
                                        ? status(atPair, Map.of("decision", "accept"))
                                        : status(
                                                atApproval,
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
    void wordsAndADismissalAreAnotherRound() {
        var id = stuck(world, "words", Map.of());
        open(world, id);
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
    void aRunThatIsStoppedOrOutOfTimeAsksNoMore() {
        var stopped = stuck(world, "stopped", Map.of());
        var first = open(world, stopped);
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
    void itOutlivesTheSessionThatItStandsIn() {
        var id = stuck(world, "ended", Map.of());
        var open = open(world, id);
        world.server().api().delete("/api/sessions/" + worker(world, id)).expect(200);

        assertThat(open(world, id).path("id")).isEqualTo(open.path("id"));
        world.server()
                .api()
                .post("/api/pairs/" + id + "/answer", Map.of("decision", "accept"))
                .expect(202);
        end(id, "completed");
    }

    @Test
    void sessionsOfPeersHaveATitle() {
        var id = stuck(world, "titled", Map.of());
        open(world, id);
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
    void whatIsSaidToAPeerOnADeviceIsATurnOfItsOwn() {
        var id = stuck(world, "said", Map.of());
        open(world, id);
        var session = worker(world, id);
        phone.join(session);
        var asked = phone.asked(session);

        phone.say(session, "demo: run echo said by hand");
        phone.client()
                .await(
                        "the result of the person's turn",
                        frame ->
                                frame.at("/payload/result/content")
                                        .asString("")
                                        .equals("said by hand\n"));
        phone.say(session, "demo: slow 30"); // still going on when the worker's turn is asked for
        phone.answer(asked, "Another round");
        var second = phone.asked(session);

        assertThat(second.at("/params/questions/0/question").asString())
                .as("the words of the worker's own turn")
                .contains("It is in PAIR_DEMO.md")
                .doesNotContain("said by hand", "slow");
        phone.answer(second, "Accept");
        end(id, "completed");
    }

    @Test
    void toolsOfPeersThatAskAreApprovedOnADevice() {
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
        open(world, id);
        var session = worker(world, id);
        phone.join(session);
        for (int i = 0; i < 2; i++) {
            phone.approve(phone.await("approval_required", session));
        }
        end(id, "completed");
    }
}
