package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.NeedsCodex;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Kills the server of a running pair: the next server continues it and repeats no turn. */
@NeedsClaude
@NeedsCodex
class PairKilledTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.engines("codex", "claude").pairs();

    private static final Pattern UNDER_REVIEW = Pattern.compile("Review commit ([0-9a-f]{40})");

    static String commit(String prompt) {
        var matcher = UNDER_REVIEW.matcher(prompt);
        assertThat(matcher.find()).as(prompt).isTrue();
        return matcher.group(1);
    }

    /** Blocks the worker in a tool, and the reviewer in its answer after the verdict. */
    private static void scriptTurns() {
        ash.model()
                .when(
                        "You are the reviewer of a pair",
                        prompt ->
                                """
                                TOOL:mcp__pair/submit_verdict {"verdict":"PASS","summary":"good","commit":"%s"}
                                HOLD
                                """
                                        .formatted(commit(prompt)))
                .when(
                        "You are the worker of a pair",
                        _ ->
                                """
                                TOOL:Bash {"command":"echo once >> sum.txt; until [ -e .git/go ]; do sleep 0.1; done"}
                                SAY:DONE
                                """);
    }

    @Test
    void continuesAfterAKillDuringTheTurnOfEitherPeer() throws Exception {
        scriptTurns();
        var world = new PairWorld(ash);
        var id = world.start(Map.of("worker", "claude", "reviewer", "codex"));

        awaitWorker(world, id, "test -e sum.txt");
        world.killServer();
        awaitWorker(world, id, "touch .git/go");
        awaitHold("review_seq");
        world.killServer();
        for (int i = 0; i < 20; i++) {
            // The interrupted call and its retries wait at HOLD too.
            ash.model().release();
        }

        var end = world.awaitEnd(id);
        assertThat(end.path("outcome").asString()).as(end.toPrettyString()).isEqualTo("completed");
        assertThat(end.path("round").asInt()).isEqualTo(1);
        assertThat(world.repo.show(end.path("head").asString(), "sum.txt"))
                .as("output of the tool")
                .isEqualTo("once\n");
        assertThat(world.messages(id).stream().map(m -> m.path("type").asString()))
                .containsExactly("task", "result", "signal", "review", "signal");
    }

    /** Waits until the command succeeds in the worker's sandbox. */
    private static void awaitWorker(PairWorld world, String id, String command) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> world.succeeds(id, command));
    }

    /** Searches the whole request, because Codex sends tool results as data, not as text. */
    private static void awaitHold(String signalled) {
        ash.model()
                .await(
                        request ->
                                request.isTurn() && request.body().toString().contains(signalled));
    }
}
