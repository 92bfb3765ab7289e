package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Runs pairs with misbehaving peers in the real Claude Code; every run ends with the right outcome.
 */
@NeedsClaude
class AdversaryTest {
    private static final String EDIT = "TOOL:Bash {\"command\":\"date +%N >> sum.txt\"}\n";

    @RegisterExtension static final AshExtension ash = AshExtension.claude().pairs();

    /** Scripts every turn of the worker and of the reviewer, which have the same engine. */
    private static PairWorld world(String worker, String reviewer) {
        ash.model()
                .clearRules()
                .when("You are the reviewer of a pair", _ -> reviewer)
                .when("The worker handed over new work", _ -> reviewer)
                .when("worker of a pair", _ -> worker)
                .when("The work is not approved yet", _ -> worker)
                .when("Your turn ended without", _ -> worker)
                .when("You said that you are done", _ -> worker);
        return new PairWorld(ash);
    }

    @Test
    void endsAtMaxRoundsIfTheReviewerAlwaysFails() {
        var world = world(EDIT + "SAY:DONE", "SAY:FAIL");
        var end = world.run(Map.of("maxRounds", 3), "max_rounds");

        assertThat(end.path("round").asInt()).isEqualTo(3);
        assertThat(end.path("reviewer").path("name").asString()).isEqualTo("claude-2");
    }

    @Test
    void failsIfTheReviewerNeverAnswers() {
        var world = world(EDIT + "SAY:DONE", "HOLD");
        // The limit applies to the worker too, so it is the demo, whose turns are fast.
        var end = world.run(Map.of("worker", "demo", "turnTimeout", 15_000), "agent_failed");

        assertThat(end.path("reason").asString()).contains("claude", "15 s");
        assertThat(world.repo.head("agentpair/run-1")).isEqualTo(end.path("head").asString());
    }

    @Test
    void ignoresAPassInProse() {
        var world = world(EDIT + "SAY:DONE", "SAY:I would give this a PASS, all tests PASS");
        world.run(Map.of("maxRounds", 2), "max_rounds");
    }

    @Test
    void endsInStalemateIfTheWorkerChangesNothing() {
        var world = world("SAY:DONE", "SAY:PASS");
        world.run(Map.of(), "stalemate");

        assertThat(world.repo.branches()).containsExactly("main");
    }

    @Test
    void endsAtTheBudgetIfPeersChatForever() {
        var world = world(EDIT + "SAY:What do you think?", "SAY:Well, what do you?");
        var end = world.run(Map.of("maxTokens", 200, "stalemateRounds", 99), "budget_exhausted");

        assertThat(end.path("inputTokens").asLong() + end.path("outputTokens").asLong())
                .isBetween(200L, 400L);

        var id = end.path("id").asString();
        world.server()
                .api()
                .post("/api/pairs/" + id + "/resume", Map.of("maxTokens", 600, "maxRounds", 500))
                .expect(200);
        var again = world.awaitEnd(id);

        assertThat(again.path("outcome").asString()).isEqualTo("budget_exhausted");
        assertThat(again.path("inputTokens").asLong() + again.path("outputTokens").asLong())
                .as("tokens under the increased budget")
                .isBetween(600L, 1_200L);
    }

    @Test
    void d23_stopTerminatesTheTurnAndItsProcesses() {
        var world =
                world("TOOL:Bash {\"command\":\"echo kept > sum.txt; sleep 3600\"}", "SAY:PASS");
        var id = world.start(Map.of());
        world.awaitStep(id, "work");
        await().atMost(Duration.ofMinutes(1)).until(() -> world.succeeds(id, "test -e sum.txt"));

        world.server().api().postNothing("/api/pairs/" + id + "/stop").expect(202);
        var end = world.awaitEnd(id);

        assertThat(end.path("outcome").asString()).isEqualTo("cancelled");
        assertThat(world.repo.show(end.path("head").asString(), "sum.txt")).isEqualTo("kept\n");
        assertThat(world.succeeds(id, "! grep -qsx sleep /proc/[0-9]*/comm")).isTrue();
    }

    @Test
    void d25_storesLongAnswersCompletely() {
        var words = "long ".repeat(40_000);
        ash.model()
                .clearRules()
                .when("worker of a pair", _ -> "SAY:" + words)
                .when("Your turn ended", _ -> EDIT + "SAY:DONE")
                .when("check your own work", _ -> "SAY:PASS");
        var world = new PairWorld(ash);

        var end = world.run(Map.of("mode", "single"), "completed");

        assertThat(world.messages(end.path("id").asString()))
                .anyMatch(
                        message ->
                                message.path("content")
                                        .asString()
                                        .strip()
                                        .equals("Round 1: " + words.strip()));
    }

    @Test
    void d15_keepsACloneWithUnfetchedChanges() {
        var side =
                "TOOL:Bash {\"command\":\"date +%N > sum.txt; git stash -q -u; date +%N > sum.txt; git init -q lib; date > lib/x\"}\n";
        var world = world(side + "SAY:DONE", "SAY:PASS");
        var id = world.run(Map.of(), "completed").path("id").asString();

        assertThat(world.succeeds(id, "git stash list | grep -q stash"))
                .as("the worker's session still exists")
                .isTrue();
        var clean = world.server().api().postNothing("/api/pairs/" + id + "/clean").expect(200);
        assertThat(clean.at("/removed").asBoolean()).isFalse();
        assertThat(clean.at("/sentence").asString()).contains("/workspace");

        assertThat(world.succeeds(id, "git stash drop -q")).isTrue();
        clean = world.server().api().postNothing("/api/pairs/" + id + "/clean").expect(200);
        assertThat(clean.at("/sentence").asString()).contains("lib");
        assertThat(world.succeeds(id, "rm -rf lib")).isTrue();
        clean = world.server().api().postNothing("/api/pairs/" + id + "/clean").expect(200);
        assertThat(clean.at("/removed").asBoolean()).isTrue();
        assertThat(world.succeeds(id, "true")).isFalse();
    }
}
