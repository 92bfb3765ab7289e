package dev.ash.pair.loop;

import static dev.ash.pair.loop.Bench.edit;
import static dev.ash.pair.loop.Bench.rounds;
import static dev.ash.pair.loop.Bench.say;
import static dev.ash.pair.loop.Bench.spec;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A commit is reported in the round that made it, and in no other. */
class RoundCommitTest {
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
    void reportsNoCommitOfARoundThatMadeNone() throws Exception {
        bench.worker.then(say("DONE"), edit(bench, "not yet"), say("not yet"), say("DONE"));
        bench.reviewer.then(say("PASS"));

        assertThat(bench.run(spec(rounds(9)))).isEqualTo(Outcome.COMPLETED);

        assertThat(commits()).containsExactly("c1\n1 files changed");
        assertThat(Objects.requireNonNull(bench.last).rounds())
                .extracting(Round::commit)
                .containsExactly(null, "c1", null, "c1"); // reviewed in the last
    }

    @Test
    void namesTheNumberOfRoundsInSingularAndPlural() throws Exception {
        bench.worker.always = say("DONE");

        assertThat(bench.run(spec(rounds(1)))).isEqualTo(Outcome.MAX_ROUNDS);

        assertThat(Objects.requireNonNull(bench.last).reason())
                .isEqualTo("It was not approved within 1 round");
    }

    private List<String> commits() {
        return bench.notes.stream()
                .filter(note -> note.type().equals("commit"))
                .map(Journal.Event::content)
                .toList();
    }
}
