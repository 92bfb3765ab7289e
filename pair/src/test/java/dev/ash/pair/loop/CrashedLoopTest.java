package dev.ash.pair.loop;

import static dev.ash.pair.loop.Bench.edit;
import static dev.ash.pair.loop.Bench.rounds;
import static dev.ash.pair.loop.Bench.say;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A loop that dies anywhere and goes on from what was kept: nothing is lost or done twice. */
class CrashedLoopTest {
    @TempDir Path folder;

    private static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final RunSpec SPEC =
            new RunSpec(
                    "Make it so",
                    Mode.PAIR,
                    true,
                    Bench.WORKER,
                    Bench.REVIEWER,
                    "make test",
                    "DONE",
                    rounds(9),
                    false);

    private static void script(Bench bench) {
        bench.proofs.addAll(List.of(0, 1, 0));
        bench.worker.then(
                say("the plan"),
                edit(bench, "one\nDONE"),
                edit(bench, "F1: fixed\nDONE"),
                edit(bench, "three\nDONE"));
        bench.reviewer.then(say("fine\nPASS"), say("a hole\nFAIL"), say("good\nPASS"));
    }

    /** Every message but for when it was written, and every prompt. */
    private static List<String> story(Bench bench) throws IOException {
        var story = new java.util.ArrayList<String>();
        for (var entry : bench.messages()) {
            var m = entry.message();
            story.add(entry.seq() + " " + m.type() + m.from() + m.to() + m.content() + m.signal());
        }
        story.addAll(bench.worker.prompts);
        story.addAll(bench.reviewer.prompts);
        story.add(
                Objects.requireNonNull(bench.last).rounds()
                        + " "
                        + bench.last.usage()
                        + " "
                        + bench.last.head());
        return story;
    }

    @Test
    void d14_aRunGoesOnFromEveryPointWhereItCanDie() throws Exception {
        List<String> whole;
        int[] points = {0};
        try (var bench = new Bench(folder.resolve("whole"))) {
            script(bench);
            bench.faults = () -> points[0]++;
            assertThat(bench.run(SPEC)).isEqualTo(Outcome.COMPLETED);
            whole = story(bench);
        }
        assertThat(points[0]).isGreaterThan(40);
        for (int point = 1; point <= points[0]; point++) {
            try (var bench = new Bench(folder.resolve("dies" + point))) {
                script(bench);
                assertThat(dyingAt(bench, point))
                        .as("dies at %d", point)
                        .isEqualTo(Outcome.COMPLETED);
                assertThat(story(bench)).as("dies at %d", point).isEqualTo(whole);
            }
        }
    }

    private static Outcome dyingAt(Bench bench, int point) throws Exception {
        int[] left = {point};
        bench.faults =
                () -> {
                    if (--left[0] == 0) {
                        throw new Died();
                    }
                };
        try {
            return bench.run(SPEC);
        } catch (Died e) {
            var kept =
                    bench.kept.length == 0
                            ? new Progress()
                            : ProgressJson.read(new RawJson(bench.kept));
            if (kept.outcome() != null) {
                bench.last = kept;
                return kept.outcome();
            }
            return bench.loop(SPEC, kept).run();
        }
    }
}
