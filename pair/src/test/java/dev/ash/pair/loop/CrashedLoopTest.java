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

/**
 * A loop that crashes at any point resumes from its saved progress without losing or repeating
 * steps.
 */
class CrashedLoopTest {
    @TempDir Path directory;

    private static final class Crash extends RuntimeException {
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

    /** Returns all messages without timestamps, and all prompts. */
    private static List<String> history(LoopHarness harness) throws IOException {
        var history = new java.util.ArrayList<String>();
        for (var entry : harness.messages()) {
            var m = entry.message();
            history.add(
                    entry.seq() + " " + m.type() + m.from() + m.to() + m.content() + m.signal());
        }
        history.addAll(harness.worker.prompts);
        history.addAll(harness.reviewer.prompts);
        history.add(
                Objects.requireNonNull(harness.last).rounds()
                        + " "
                        + harness.last.usage()
                        + " "
                        + harness.last.head());
        return history;
    }

    @Test
    void d14_resumesFromEveryCrashPoint() throws Exception {
        List<String> whole;
        int[] points = {0};
        try (var harness = new LoopHarness(directory.resolve("whole"))) {
            script(harness);
            harness.faults = () -> points[0]++;
            assertThat(harness.run(SPEC)).isEqualTo(Outcome.COMPLETED);
            whole = history(harness);
        }
        assertThat(points[0]).isGreaterThan(40);
        for (int point = 1; point <= points[0]; point++) {
            try (var harness = new LoopHarness(directory.resolve("crash" + point))) {
                script(harness);
                assertThat(crashAt(harness, point))
                        .as("crash at %d", point)
                        .isEqualTo(Outcome.COMPLETED);
                assertThat(history(harness)).as("crash at %d", point).isEqualTo(whole);
            }
        }
    }

    private static Outcome crashAt(LoopHarness harness, int point) throws Exception {
        int[] left = {point};
        harness.faults =
                () -> {
                    if (--left[0] == 0) {
                        throw new Crash();
                    }
                };
        try {
            return harness.run(SPEC);
        } catch (Crash e) {
            var saved =
                    harness.savedProgress.length == 0
                            ? new Progress()
                            : ProgressJson.read(new RawJson(harness.savedProgress));
            if (saved.outcome() != null) {
                harness.last = saved;
                return saved.outcome();
            }
            return harness.loop(SPEC, saved).run();
        }
    }
}
