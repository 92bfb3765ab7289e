package dev.ash.pair.loop;

import static dev.ash.pair.loop.Bench.REVIEWER;
import static dev.ash.pair.loop.Bench.WORKER;
import static dev.ash.pair.loop.Bench.edit;
import static dev.ash.pair.loop.Bench.rounds;
import static dev.ash.pair.loop.Bench.say;
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

/** What a run does with the answer of a person, and with none. */
class DisagreementTest {
    @TempDir Path folder;
    private Bench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new Bench(folder);
    }

    @AfterEach
    void close() throws Exception {
        bench.close();
    }

    private static RunSpec asking(boolean plan) {
        return new RunSpec(
                "Make it so", Mode.PAIR, plan, WORKER, REVIEWER, null, "DONE", rounds(20), true);
    }

    private void stuck() {
        bench.worker.then(edit(bench, "DONE"));
        bench.worker.always = say("I will not\nDONE");
        bench.reviewer.always = say("It must be blue\nFAIL");
    }

    private Progress progress() {
        return Objects.requireNonNull(bench.last);
    }

    @Test
    void anotherRoundIsHadWithTheWordsOfThePerson() throws Exception {
        bench.worker.then(
                edit(bench, "DONE"), say("no\nDONE"), say("no\nDONE"), edit(bench, "DONE"));
        bench.reviewer.then(say("FAIL"), say("FAIL"), say("FAIL"), say("PASS"));
        bench.decided.put(1, new Answer(Decision.GO_ON, "do what it says", "device:phone"));

        assertThat(bench.run(asking(false))).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.worker.prompts.getLast())
                .contains("do what it says")
                .doesNotContain("Round 4: do what it says");
        assertThat(bench.messages())
                .extracting(entry -> entry.message().content())
                .contains("Round 4: do what it says");
        assertThat(bench.notes)
                .extracting(note -> note.type() + " " + note.content())
                .contains("answer go_on, by device:phone\ndo what it says");
        assertThat(progress().question()).isNull();
        assertThat(bench.withdrawn).isEmpty();
    }

    @Test
    void aRejectionEndsTheRunWhichCanGoOnLater() throws Exception {
        stuck();
        bench.decided.put(1, new Answer(Decision.REJECT, "not like that", "api"));

        assertThat(bench.run(asking(false))).isEqualTo(Outcome.REJECTED);
        assertThat(progress().reason()).contains("not like that");

        var again = progress();
        again.reopen();
        bench.worker.always = edit(bench, "DONE");
        bench.reviewer.always = say("PASS");
        assertThat(bench.loop(asking(false), again).run()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void eachDisagreementIsAQuestionOfItsOwn() throws Exception {
        stuck();
        bench.decided.put(1, new Answer(Decision.GO_ON, "", "api"));
        bench.decided.put(2, new Answer(Decision.ACCEPT, "", "api"));

        assertThat(bench.run(asking(false))).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.asked).extracting(Disagreement::number).containsExactly(1, 2);
    }

    @Test
    void oneThatNobodyDecidesIsWithdrawnAndAskedAnewWhenTheRunGoesOn() throws Exception {
        stuck();

        assertThat(bench.run(asking(false))).isEqualTo(Outcome.STALEMATE);
        assertThat(bench.withdrawn).containsExactly(1);

        var again = progress();
        again.reopen();
        bench.decided.put(2, new Answer(Decision.ACCEPT, "", "api"));
        assertThat(bench.loop(asking(false), again).run()).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.asked).extracting(Disagreement::number).containsExactly(1, 2);
    }

    @Test
    void afterACrashTheSameOneIsAskedAgain() throws Exception {
        stuck();
        bench.decided.put(1, new Answer(Decision.ACCEPT, "", "api"));
        bench.faults =
                () -> {
                    if (bench.asked.size() == 1) {
                        throw new IllegalStateException("killed after the answer");
                    }
                };

        assertThatIllegalStateException().isThrownBy(() -> bench.run(asking(false)));
        bench.faults = () -> {};
        var kept = ProgressJson.read(new RawJson(bench.kept));

        assertThat(bench.loop(asking(false), kept).run()).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.asked.get(0)).isEqualTo(bench.asked.get(1));
    }

    @Test
    void aPlanThatIsAcceptedIsWorkedBy() throws Exception {
        bench.worker.then(say("plan A"), say("plan A"), say("plan A"), edit(bench, "DONE"));
        bench.reviewer.then(say("No\nFAIL"), say("No\nFAIL"), say("Still no\nFAIL"), say("PASS"));
        bench.decided.put(1, new Answer(Decision.ACCEPT, "", "api"));

        assertThat(bench.run(asking(true))).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.asked.getFirst().brief()).contains("plan A", "Still no");
        assertThat(bench.worker.prompts.getLast()).contains("plan is approved");
    }

    @Test
    void aPlanThatIsSentBackIsPlannedAgain() throws Exception {
        bench.worker.then(
                say("plan A"), say("plan A"), say("plan A"), say("plan B"), edit(bench, "DONE"));
        bench.reviewer.then(
                say("No\nFAIL"), say("No\nFAIL"), say("No\nFAIL"), say("PASS"), say("PASS"));
        bench.decided.put(1, new Answer(Decision.GO_ON, "plan B, please", "api"));

        assertThat(bench.run(asking(true))).isEqualTo(Outcome.COMPLETED);
        assertThat(bench.worker.prompts.get(3)).contains("plan", "plan B, please");
    }

    @Test
    void itFitsAPhone() {
        var long1 = "r".repeat(100_000);
        var long2 = "w".repeat(100_000);
        var whole = new Disagreement(1, "t".repeat(100_000), long1, long2);

        assertThat(whole.text()).contains(long1, long2);
        assertThat(whole.brief()).hasSizeLessThan(1_800).contains("rrr…", "www…", "ttt…");
        assertThat(new Disagreement(1, "t", "", " ").brief()).contains("(nothing)");
    }
}
