package dev.ash.pair.loop;

import static dev.ash.pair.loop.Bench.REVIEWER;
import static dev.ash.pair.loop.Bench.WORKER;
import static dev.ash.pair.loop.Bench.edit;
import static dev.ash.pair.loop.Bench.rounds;
import static dev.ash.pair.loop.Bench.say;
import static dev.ash.pair.loop.Bench.spec;
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
    @TempDir Path folder;
    private Bench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new Bench(folder);
    }

    @AfterEach
    void close() throws IOException {
        bench.close();
    }

    @Test
    void givesMessagesOfDifferentRoundsDifferentIds() throws Exception {
        bench.worker.always = edit(bench, "Done as asked.\nDONE");
        bench.reviewer.then(say("Again.\nFAIL"), say("Again.\nFAIL"), say("Again.\nPASS"));

        assertThat(bench.run(spec(rounds(9)))).isEqualTo(Outcome.COMPLETED);

        assertThat(bench.messages()).hasSize(1 + 3 * 4);
        assertThat(bench.messages()).extracting(e -> e.message().id()).doesNotHaveDuplicates();
        assertThat(bench.messages()).allMatch(e -> e.flags().isEmpty());
        assertThat(bench.messages())
                .extracting(e -> e.message().content())
                .contains(
                        "Round 1: Done as asked.\nDONE",
                        "Round 2: Done as asked.\nDONE",
                        "Round 1: The work is done",
                        "Round 2: The work is done");
    }

    @Test
    void givesAPlanAndTheWorkOfOneRoundDifferentIds() throws Exception {
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
        bench.worker.always = edit(bench, "DONE");
        bench.reviewer.always = say("PASS");

        assertThat(bench.run(planned)).isEqualTo(Outcome.COMPLETED);

        assertThat(bench.messages()).extracting(e -> e.message().id()).doesNotHaveDuplicates();
    }

    @Test
    void resumesAStepThatAnEarlierVersionWordedDifferently() throws Exception {
        bench.mailbox.append(
                Draft.of(MessageType.RESULT, WORKER.value(), REVIEWER.value(), "made it\nDONE")
                        .inIteration(1)
                        .withClientId("ash:r1-work-result-1"));
        bench.worker.then(edit(bench, "made it\nDONE"));
        bench.reviewer.then(say("PASS"));

        assertThat(bench.run(spec(rounds(3)))).isEqualTo(Outcome.COMPLETED);
    }
}
