package dev.ash.pair.loop;

import static dev.ash.pair.loop.LoopHarness.edit;
import static dev.ash.pair.loop.LoopHarness.rounds;
import static dev.ash.pair.loop.LoopHarness.say;
import static dev.ash.pair.loop.LoopHarness.spec;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits are reported only in the round that created them. */
class RoundCommitTest {
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
    void reportsNoCommitForRoundsWithoutCommit() throws Exception {
        harness.worker.then(say("DONE"), edit(harness, "not yet"), say("not yet"), say("DONE"));
        harness.reviewer.then(say("PASS"));

        assertThat(harness.run(spec(rounds(9)))).isEqualTo(Outcome.COMPLETED);

        assertThat(commits()).containsExactly("c1\n1 files changed");
        assertThat(Objects.requireNonNull(harness.last).rounds())
                .extracting(Round::commit)
                .containsExactly(null, "c1", null, "c1"); // reviewed in the last round
    }

    @Test
    void formatsSingularRoundCount() throws Exception {
        harness.worker.always = say("DONE");

        assertThat(harness.run(spec(rounds(1)))).isEqualTo(Outcome.MAX_ROUNDS);

        assertThat(Objects.requireNonNull(harness.last).reason())
                .isEqualTo("The work was not approved within 1 round");
    }

    private List<String> commits() {
        return harness.events.stream()
                .filter(event -> event.type().equals("commit"))
                .map(Journal.Event::content)
                .toList();
    }
}
