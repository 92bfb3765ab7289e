package dev.ash.pair.loop;

import static dev.ash.pair.loop.LoopHarness.REVIEWER;
import static dev.ash.pair.loop.LoopHarness.WORKER;
import static dev.ash.pair.loop.LoopHarness.edit;
import static dev.ash.pair.loop.LoopHarness.rounds;
import static dev.ash.pair.loop.LoopHarness.say;
import static dev.ash.pair.loop.LoopHarness.spec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.MessageType;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other programs drop messages whose id they have seen, so the loop must not repeat one. */
class MessageIdsTest {
    @TempDir Path directory;
    private LoopHarness harness;

    @BeforeEach
    void open() throws IOException {
        harness = new LoopHarness(directory);
    }

    @AfterEach
    void close() throws IOException {
        harness.close();
    }

    @Test
    void givesMessagesOfDifferentRoundsDifferentIds() throws Exception {
        harness.worker.always = edit(harness, "Done as asked.\nDONE");
        harness.reviewer.then(say("Again.\nFAIL"), say("Again.\nFAIL"), say("Again.\nPASS"));

        assertThat(harness.run(spec(rounds(9)))).isEqualTo(Outcome.COMPLETED);

        assertThat(harness.messages()).hasSize(1 + 3 * 4);
        assertThat(harness.messages()).extracting(e -> e.message().id()).doesNotHaveDuplicates();
        assertThat(harness.messages()).allMatch(e -> e.flags().isEmpty());
        assertThat(harness.messages())
                .extracting(e -> e.message().content())
                .contains(
                        "Round 1: Done as asked.\nDONE",
                        "Round 2: Done as asked.\nDONE",
                        "Round 1: The work is done",
                        "Round 2: The work is done");
    }

    @Test
    void givesPlanAndWorkOfOneRoundDifferentIds() throws Exception {
        var spec = spec(rounds(9));
        var planned =
                new RunSpec(
                        spec.task(),
                        spec.mode(),
                        true,
                        WORKER,
                        REVIEWER,
                        null,
                        "DONE",
                        spec.budget(),
                        false);
        harness.worker.always = edit(harness, "DONE");
        harness.reviewer.always = say("PASS");

        assertThat(harness.run(planned)).isEqualTo(Outcome.COMPLETED);

        assertThat(harness.messages()).extracting(e -> e.message().id()).doesNotHaveDuplicates();
    }

    @Test
    void resumesStepsWithDifferentTextsOfPreviousVersions() throws Exception {
        harness.mailbox.append(
                Draft.of(MessageType.RESULT, WORKER.value(), REVIEWER.value(), "made it\nDONE")
                        .inIteration(1)
                        .withClientId("ash:r1-work-result-1"));
        harness.worker.then(edit(harness, "made it\nDONE"));
        harness.reviewer.then(say("PASS"));

        assertThat(harness.run(spec(rounds(3)))).isEqualTo(Outcome.COMPLETED);
    }
}
