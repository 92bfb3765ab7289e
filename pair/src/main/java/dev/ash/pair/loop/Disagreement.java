package dev.ash.pair.loop;

import dev.ash.protocol.Excerpt;

/**
 * A disagreement that the person is asked to decide, with both arguments.
 *
 * @param number tells the questions of a run apart
 */
public record Disagreement(int number, String task, String reviewer, String worker) {
    private static final int SHORT_TASK = 200;
    private static final int SHORT_ARGUMENT = 700;

    /** The one that a run waits with, by what was kept of it. */
    public static Disagreement of(RunSpec spec, Progress progress) {
        var found = Prompts.lines(progress.ledger.open());
        return new Disagreement(
                progress.questions,
                spec.task(),
                (progress.summary.strip() + "\n" + found).strip(),
                progress.workerWords.strip());
    }

    /** All of it. */
    String text() {
        return """
        The two peers do not agree, and nothing moves any more.

        Task: %s

        The reviewer:
        %s

        The worker:
        %s

        Answer go_on with a word to both, accept (the work is right as it is) or reject."""
                .formatted(task, reviewer, worker);
    }

    /** As much as fits a phone. */
    public String brief() {
        return "Task: %s\n\nThe reviewer: %s\n\nThe worker: %s"
                .formatted(
                        cut(task, SHORT_TASK),
                        cut(reviewer, SHORT_ARGUMENT),
                        cut(worker, SHORT_ARGUMENT));
    }

    private static String cut(String text, int most) {
        return text.isBlank() ? "(nothing)" : Excerpt.of(text.strip(), most);
    }
}
