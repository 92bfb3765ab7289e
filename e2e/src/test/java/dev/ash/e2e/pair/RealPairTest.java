package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.NeedsCodex;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs a pair with the real Claude Code as worker and the real Codex as reviewer. */
@NeedsClaude
@NeedsCodex
class RealPairTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.engines("codex", "claude").pairs();

    private static final Pattern UNDER_REVIEW = Pattern.compile("Review commit ([0-9a-f]{40})");

    private static String commit(String prompt) {
        var matcher = UNDER_REVIEW.matcher(prompt);
        assertThat(matcher.find()).as(prompt).isTrue();
        return matcher.group(1);
    }

    /** Scripts a FAIL, a fix that breaks the proof, a second fix and a PASS. */
    private static void scriptTurns() {
        ash.model()
                .clearRules()
                .when(
                        "The worker handed over new work",
                        prompt ->
                                """
                                TOOL:mcp__pair/submit_verdict {"verdict":"PASS","summary":"Now it has a sum","commit":"%s"}
                                SAY:I gave my verdict
                                """
                                        .formatted(commit(prompt)))
                .when(
                        "You are the reviewer of a pair",
                        prompt ->
                                """
                                TOOL:exec_command {"cmd":"cat sum.txt; touch spoiled || echo refused"}
                                TOOL:mcp__pair/submit_verdict {"verdict":"FAIL","summary":"There is no sum","commit":"%s","findings":[{"severity":"major","file":"sum.txt","line":1,"title":"No sum in it"}]}
                                SAY:I gave my verdict
                                """
                                        .formatted(commit(prompt)))
                .when(
                        "The proof failed",
                        _ ->
                                """
                                TOOL:Bash {"command":"echo '1+1=2' > sum.txt"}
                                SAY:DONE
                                """)
                .when(
                        "The work is not approved yet",
                        _ ->
                                """
                                TOOL:Bash {"command":"echo broken > sum.txt"}
                                TOOL:mcp__pair__send_to_agent {"to":"codex","message_type":"signal","signal":"DONE","content":"fixed"}
                                SAY:F1: fixed
                                """)
                .when(
                        "You are the worker of a pair",
                        _ ->
                                """
                                TOOL:Bash {"command":"echo hello > sum.txt && git add sum.txt && git commit -qm 'Say hello'"}
                                SAY:DONE
                                """);
    }

    @Test
    void completesAfterAFailedReviewAndAFailedProof() {
        scriptTurns();
        var world = new PairWorld(ash);
        var base = world.repo.head("main");

        var end =
                world.run(
                        Map.of(
                                "worker", "claude",
                                "reviewer", "codex",
                                "maxCostUsd", 5,
                                "proof", "! grep broken sum.txt"),
                        "completed");

        assertThat(end.path("rounds").valueStream())
                .extracting(
                        round -> round.path("proof").asInt(-1),
                        round -> round.path("verdict").asString("none"))
                .containsExactly(tuple(0, "FAIL"), tuple(1, "none"), tuple(0, "PASS"));
        assertThat(end.path("findings").valueStream())
                .extracting(
                        finding -> finding.path("title").asString(),
                        finding -> finding.path("fate").asString())
                .containsExactly(tuple("No sum in it", "fixed"));

        var head = end.path("head").asString();
        assertThat(world.repo.head("agentpair/run-1")).isEqualTo(head);
        assertThat(world.repo.show(head, "sum.txt")).isEqualTo("1+1=2\n");
        assertThat(world.repo.git("log", "--format=%s", base + ".." + head).lines())
                .hasSize(3)
                .endsWith("Say hello");
        assertThat(world.repo.head("main")).isEqualTo(base);
        assertThat(world.repo.git("status", "--porcelain")).isEmpty();
        assertThat(world.repo.git("ls-tree", "-r", "--name-only", head).lines())
                .containsExactly("README.md", "sum.txt");

        var id = end.path("id").asString();
        assertThat(world.messages(id))
                .extracting(m -> m.path("from").asString(), m -> m.path("signal").asString())
                .contains(tuple("claude", "DONE"), tuple("codex", "FAIL"), tuple("codex", "PASS"));
        assertThat(world.read(id, "report.md"))
                .contains("completed", "No sum in it", "red (1)", "agentpair/run-1");
        assertThat(end.path("inputTokens").asLong()).isPositive();
        assertThat(
                        ash.model().turns().stream()
                                .flatMap(turn -> turn.toolResults().stream())
                                .map(result -> result.text()))
                .as("results of the reviewer's attempt to write")
                .anyMatch(text -> text.contains("refused"));
    }

    @Test
    void appliesACostLimitOnlyToEnginesWithPrices() {
        ash.model().clearRules().when("You are the reviewer of a pair", _ -> "SAY:PASS");
        var world = new PairWorld(ash);
        world.repo.git("commit", "--quiet", "--allow-empty", "--message=second");
        world.repo.chown();
        world.server()
                .deploy(
                        "critic",
                        Map.of(
                                "CLAUDE.md",
                                "You judge.\n",
                                ".ash/agent.json",
                                "{\"engine\":\"codex\"}"));

        world.run(
                Map.of("mode", "review-only", "reviewer", "critic", "maxCostUsd", 5), "completed");
    }
}
