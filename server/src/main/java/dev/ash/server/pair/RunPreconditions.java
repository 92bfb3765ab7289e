package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;

/** What can be done with a run that no server drives. */
final class RunPreconditions {
    private RunPreconditions() {}

    /** For requests that only a running run can serve; {@code action} such as "stop". */
    static ApiException notRunning(Manifest manifest, String action) {
        var run = manifest.ashRun();
        if (run == null) {
            return refused(
                    "Another tool made run %d; Ash can only show it".formatted(manifest.id()));
        }
        int number = run.setup().id();
        var outcome = run.progress().outcome();
        if (outcome == Outcome.COMPLETED) {
            return refused(
                    "Run %d is already completed, so there is nothing to %s"
                            .formatted(number, action));
        }
        var state = outcome == null ? "" : " (" + outcome.wire() + ")";
        return refused(
                "Run %d is not running%s, so there is nothing to %s; it can be resumed"
                        .formatted(number, state, action));
    }

    /** Rejects messages that nobody will read. */
    static void requireReaders(Manifest manifest) {
        var run = manifest.ashRun();
        if (run != null && run.progress().outcome() == Outcome.COMPLETED) {
            throw refused(
                    "Run %d is completed, so nobody reads messages any more; start a new run"
                            .formatted(run.setup().id()));
        }
    }

    /** Rejects resuming a run without more of what it ran out of: it would end immediately. */
    static void requireBudget(Budget budget, Progress progress) {
        var usage = progress.usage();
        boolean outOfTime = progress.outcome() == Outcome.TIMEOUT;
        boolean outOfBudget = progress.outcome() == Outcome.BUDGET_EXHAUSTED;
        if (outOfTime && progress.spentMillis() >= budget.time().toMillis()) {
            throw ApiException.invalid(
                    "timeout", "the run has used its time; allow more in total to resume it");
        }
        if (outOfBudget && budget.tokens() != null && usage.tokens() >= budget.tokens()) {
            throw ApiException.invalid(
                    "maxTokens",
                    "the run has used %,d tokens; allow more in total to resume it"
                            .formatted(usage.tokens()));
        }
        if (outOfBudget && budget.costUsd() != null && usage.costUsd() >= budget.costUsd()) {
            throw ApiException.invalid(
                    "maxCostUsd",
                    "the run has cost $%.2f; allow more in total to resume it"
                            .formatted(usage.costUsd()));
        }
    }

    private static ApiException refused(String sentence) {
        return new ApiException(ErrorCode.PAIR_NOT_RUNNING, sentence);
    }
}
