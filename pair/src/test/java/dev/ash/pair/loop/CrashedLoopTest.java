package dev.ash.pair.loop;

import static dev.ash.pair.loop.LoopHarness.edit;
import static dev.ash.pair.loop.LoopHarness.rounds;
import static dev.ash.pair.loop.LoopHarness.say;
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
    @TempDir Path directory;

    private static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final RunSpec SPEC =
            new RunSpec(
                    "Make it so",
                    Mode.PAIR,
                    true,
                    LoopHarness.WORKER,
                    LoopHarness.REVIEWER,
                    "make test",
                    "DONE",
                    rounds(9),
                    false);

    private static void script(LoopHarness harness) {
        harness.proofs.addAll(List.of(0, 1, 0));
        harness.worker.then(
                say("the plan"),
                edit(harness, "one\nDONE"),
                edit(harness, "F1: fixed\nDONE"),
                edit(harness, "three\nDONE"));
        harness.reviewer.then(say("fine\nPASS"), say("a hole\nFAIL"), say("good\nPASS"));
    }

    /** Every message but for when it was written, and every prompt. */
    private static List<String> story(LoopHarness harness) throws IOException {
        var story = new java.util.ArrayList<String>();
        for (var entry : harness.messages()) {
            var m = entry.message();
            story.add(entry.seq() + " " + m.type() + m.from() + m.to() + m.content() + m.signal());
        }
        story.addAll(harness.worker.prompts);
        story.addAll(harness.reviewer.prompts);
        story.add(
                Objects.requireNonNull(harness.last).rounds()
                        + " "
                        + harness.last.usage()
                        + " "
                        + harness.last.head());
        return story;
    }

    @Test
    void d14_aRunGoesOnFromEveryPointWhereItCanDie() throws Exception {
        List<String> whole;
        int[] points = {0};
        try (var harness = new LoopHarness(directory.resolve("whole"))) {
            script(harness);
            harness.faults = () -> points[0]++;
            assertThat(harness.run(SPEC)).isEqualTo(Outcome.COMPLETED);
            whole = story(harness);
        }
        assertThat(points[0]).isGreaterThan(40);
        for (int point = 1; point <= points[0]; point++) {
            try (var harness = new LoopHarness(directory.resolve("dies" + point))) {
                script(harness);
                assertThat(dyingAt(harness, point))
                        .as("dies at %d", point)
                        .isEqualTo(Outcome.COMPLETED);
                assertThat(story(harness)).as("dies at %d", point).isEqualTo(whole);
            }
        }
    }

    private static Outcome dyingAt(LoopHarness harness, int point) throws Exception {
        int[] left = {point};
        harness.faults =
                () -> {
                    if (--left[0] == 0) {
                        throw new Died();
                    }
                };
        try {
            return harness.run(SPEC);
        } catch (Died e) {
            var kept =
                    harness.kept.length == 0
                            ? new Progress()
                            : ProgressJson.read(new RawJson(harness.kept));
            if (kept.outcome() != null) {
                harness.last = kept;
                return kept.outcome();
            }
            return harness.loop(SPEC, kept).run();
        }
    }
}
