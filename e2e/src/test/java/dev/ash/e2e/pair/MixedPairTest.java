package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsEngine;
import dev.ash.e2e.engine.TestedEngines;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs pairs of different real engines. {@code -Dash.pairs=all} runs every combination, by default
 * each engine that has no test of its own runs once.
 */
@NeedsEngine({"claude", "codex", "opencode", "goose", "gemini"})
class MixedPairTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.engines("codex", "opencode", "goose", "gemini", "claude").pairs();

    static Stream<Arguments> pairs() {
        var names = Stream.of("claude", "codex", "opencode", "goose", "gemini").toList();
        if ("all".equals(System.getProperty("ash.pairs"))) {
            return names.stream()
                    .flatMap(
                            worker ->
                                    names.stream()
                                            .filter(reviewer -> !reviewer.equals(worker))
                                            .map(reviewer -> Arguments.of(worker, reviewer)));
        }
        return Stream.of(
                Arguments.of("opencode", "goose"),
                Arguments.of("goose", "gemini"),
                Arguments.of("gemini", "opencode"));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void reviewsAndApprovesWork(String worker, String reviewer) {
        ash.model()
                .clearRules()
                .when("You are the reviewer of a pair", prompt -> verdict(reviewer, prompt))
                .when(
                        "You are the worker of a pair",
                        _ -> TestedEngines.of(worker).run("echo '1+1=2' > sum.txt") + "\nSAY:DONE");
        var world = new PairWorld(ash);

        var end = world.run(Map.of("worker", worker, "reviewer", reviewer), "completed");

        assertThat(end.path("rounds").valueStream())
                .extracting(round -> round.path("verdict").asString("none"))
                .containsExactly("PASS");
        assertThat(world.repo.show(end.path("head").asString(), "sum.txt")).isEqualTo("1+1=2\n");
        assertThat(world.messages(end.path("id").asString()))
                .extracting(m -> m.path("from").asString(), m -> m.path("signal").asString(""))
                .contains(tuple(reviewer, "PASS"));
        assertThat(end.path("inputTokens").asLong()).isPositive();
    }

    private static String verdict(String reviewer, String prompt) {
        return TestedEngines.of(reviewer)
                        .call(
                                "pair",
                                "submit_verdict",
                                Map.of(
                                        "verdict",
                                        "PASS",
                                        "summary",
                                        "It has a sum",
                                        "commit",
                                        PairKilledTest.commit(prompt)))
                + "\nSAY:I gave my verdict";
    }
}
