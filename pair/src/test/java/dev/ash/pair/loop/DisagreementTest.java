package dev.ash.pair.loop;

import static dev.ash.pair.loop.LoopHarness.REVIEWER;
import static dev.ash.pair.loop.LoopHarness.WORKER;
import static dev.ash.pair.loop.LoopHarness.edit;
import static dev.ash.pair.loop.LoopHarness.rounds;
import static dev.ash.pair.loop.LoopHarness.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.ash.pair.loop.Arbiter.Answer;
import dev.ash.pair.loop.Arbiter.Decision;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a run applies the user's decision, or the lack of one. */
class DisagreementTest {
    @TempDir Path directory;
    private LoopHarness harness;

    @BeforeEach
    void open() throws Exception {
        harness = new LoopHarness(directory);
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    private static RunSpec askingSpec(boolean plan) {
        return new RunSpec(
                "Make it so", Mode.PAIR, plan, WORKER, REVIEWER, null, "DONE", rounds(20), true);
    }

    private void scriptStalemate() {
        harness.worker.then(edit(harness, "DONE"));
        harness.worker.always = say("I will not\nDONE");
        harness.reviewer.always = say("It must be blue\nFAIL");
    }

    private Progress progress() {
        return Objects.requireNonNull(harness.last);
    }

    @Test
    void runsAnotherRoundWithTheCommentOfTheUser() throws Exception {
        harness.worker.then(
                edit(harness, "DONE"), say("no\nDONE"), say("no\nDONE"), edit(harness, "DONE"));
        harness.reviewer.then(say("FAIL"), say("FAIL"), say("FAIL"), say("PASS"));
        harness.answers.put(1, new Answer(Decision.GO_ON, "do what it says", "device:phone"));

        assertThat(harness.run(askingSpec(false))).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.worker.prompts.getLast())
                .contains("do what it says")
                .doesNotContain("Round 4: do what it says");
        assertThat(harness.messages())
                .extracting(entry -> entry.message().content())
                .contains("Round 4: do what it says");
        assertThat(harness.events)
                .extracting(event -> event.type() + " " + event.content())
                .contains("answer go_on, by device:phone\ndo what it says");
        assertThat(progress().question()).isNull();
        assertThat(harness.withdrawn).isEmpty();
    }

    @Test
    void endsRejectedRunsWhichCanBeResumed() throws Exception {
        scriptStalemate();
        harness.answers.put(1, new Answer(Decision.REJECT, "not like that", "api"));

        assertThat(harness.run(askingSpec(false))).isEqualTo(Outcome.REJECTED);
        assertThat(progress().reason()).contains("not like that");

        var again = progress();
        again.reopen();
        harness.worker.always = edit(harness, "DONE");
        harness.reviewer.always = say("PASS");
        assertThat(harness.loop(askingSpec(false), again).run()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void asksASeparateQuestionForEachDisagreement() throws Exception {
        scriptStalemate();
        harness.answers.put(1, new Answer(Decision.GO_ON, "", "api"));
        harness.answers.put(2, new Answer(Decision.ACCEPT, "", "api"));

        assertThat(harness.run(askingSpec(false))).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.asked).extracting(Disagreement::number).containsExactly(1, 2);
    }

    @Test
    void withdrawsUndecidedQuestionsAndAsksAgainAfterResume() throws Exception {
        scriptStalemate();

        assertThat(harness.run(askingSpec(false))).isEqualTo(Outcome.STALEMATE);
        assertThat(harness.withdrawn).containsExactly(1);

        var again = progress();
        again.reopen();
        harness.answers.put(2, new Answer(Decision.ACCEPT, "", "api"));
        assertThat(harness.loop(askingSpec(false), again).run()).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.asked).extracting(Disagreement::number).containsExactly(1, 2);
    }

    @Test
    void asksTheSameQuestionAfterACrash() throws Exception {
        scriptStalemate();
        harness.answers.put(1, new Answer(Decision.ACCEPT, "", "api"));
        harness.faults =
                () -> {
                    if (harness.asked.size() == 1) {
                        throw new IllegalStateException("killed after the answer");
                    }
                };

        assertThatIllegalStateException().isThrownBy(() -> harness.run(askingSpec(false)));
        harness.faults = () -> {};
        var saved = ProgressJson.read(new RawJson(harness.savedProgress));

        assertThat(harness.loop(askingSpec(false), saved).run()).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.asked.get(0)).isEqualTo(harness.asked.get(1));
    }

    @Test
    void implementsAcceptedPlans() throws Exception {
        harness.worker.then(say("plan A"), say("plan A"), say("plan A"), edit(harness, "DONE"));
        harness.reviewer.then(say("No\nFAIL"), say("No\nFAIL"), say("Still no\nFAIL"), say("PASS"));
        harness.answers.put(1, new Answer(Decision.ACCEPT, "", "api"));

        assertThat(harness.run(askingSpec(true))).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.asked.getFirst().brief()).contains("plan A", "Still no");
        assertThat(harness.worker.prompts.getLast()).contains("plan is approved");
    }

    @Test
    void plansAgainAfterAComment() throws Exception {
        harness.worker.then(
                say("plan A"), say("plan A"), say("plan A"), say("plan B"), edit(harness, "DONE"));
        harness.reviewer.then(
                say("No\nFAIL"), say("No\nFAIL"), say("No\nFAIL"), say("PASS"), say("PASS"));
        harness.answers.put(1, new Answer(Decision.GO_ON, "plan B, please", "api"));

        assertThat(harness.run(askingSpec(true))).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.worker.prompts.get(3)).contains("plan", "plan B, please");
    }

    @Test
    void shortensQuestionsForPhones() {
        var long1 = "r".repeat(100_000);
        var long2 = "w".repeat(100_000);
        var whole = new Disagreement(1, "t".repeat(100_000), long1, long2);

        assertThat(whole.text()).contains(long1, long2);
        assertThat(whole.brief()).hasSizeLessThan(1_800).contains("rrr…", "www…", "ttt…");
        assertThat(new Disagreement(1, "t", "", " ").brief()).contains("(no text)");
    }
}
