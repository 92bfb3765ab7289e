package dev.ash.pair.loop;

import dev.ash.protocol.Excerpt;

/**
 * A disagreement that the user is asked to decide, with both arguments.
 *
 * @param number the number of the question, unique within the run
 * @param reviewer the reviewer's argument
 * @param worker the worker's argument
 */
public record Disagreement(int number, String task, String reviewer, String worker) {
    private static final int BRIEF_TASK_CHARS = 200;
    private static final int BRIEF_ARGUMENT_CHARS = 700;

    /** Creates the current disagreement of a run from its progress. */
    public static Disagreement of(RunSpec spec, Progress progress) {
        var findings = Prompts.formatFindings(progress.ledger.open());
        return new Disagreement(
                progress.questions,
                spec.task(),
                (progress.reviewSummary.strip() + "\n" + findings).strip(),
                progress.workerText.strip());
    }

    /** Returns the complete question. */
    String text() {
        return """
        The peers do not agree and make no progress.

        Task: %s

        The reviewer:
        %s

        The worker:
        %s

        Answer go_on (with a comment for both), accept (the work is right as it is) or reject."""
                .formatted(task, reviewer, worker);
    }

    /** Returns a shortened question that fits a phone. */
    public String brief() {
        return "Task: %s\n\nThe reviewer: %s\n\nThe worker: %s"
                .formatted(
                        shorten(task, BRIEF_TASK_CHARS),
                        shorten(reviewer, BRIEF_ARGUMENT_CHARS),
                        shorten(worker, BRIEF_ARGUMENT_CHARS));
    }

    private static String shorten(String text, int max) {
        return text.isBlank() ? "(no text)" : Excerpt.of(text.strip(), max);
    }
}
