package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;

/** Checks whether requests can be applied to a run in its current state. */
final class RunPreconditions {
    private RunPreconditions() {}

    /**
     * Returns the error for a request that requires a running run; {@code action} is a verb such as
     * "stop".
     */
    static ApiException notRunning(Manifest manifest, String action) {
        var run = manifest.ashRun();
        if (run == null) {
            return notRunningError(
                    "Run %d was created by another tool; Ash can only show it"
                            .formatted(manifest.id()));
        }
        int number = run.setup().id();
        var outcome = run.progress().outcome();
        if (outcome == Outcome.COMPLETED) {
            return notRunningError(
                    "Run %d is already completed, so there is nothing to %s"
                            .formatted(number, action));
        }
        var state = outcome == null ? "" : " (" + outcome.wire() + ")";
        return notRunningError(
                "Run %d is not running%s, so there is nothing to %s; it can be resumed"
                        .formatted(number, state, action));
    }

    /** Rejects messages to a completed run, which no peer would read. */
    static void requireNotCompleted(Manifest manifest) {
        var run = manifest.ashRun();
        if (run != null && run.progress().outcome() == Outcome.COMPLETED) {
            throw notRunningError(
                    "Run %d is completed, so its peers no longer read messages; start a new run"
                            .formatted(run.setup().id()));
        }
    }

    /** Rejects resuming a run without raising the limit that ended it: it would end immediately. */
    static void requireBudget(Budget budget, Progress progress) {
        var usage = progress.usage();
        boolean outOfTime = progress.outcome() == Outcome.TIMEOUT;
        boolean outOfBudget = progress.outcome() == Outcome.BUDGET_EXHAUSTED;
        if (outOfTime && progress.spentMillis() >= budget.time().toMillis()) {
            throw ApiException.invalid(
                    "timeout", "the run has used its time; raise the total to resume it");
        }
        if (outOfBudget && budget.tokens() != null && usage.tokens() >= budget.tokens()) {
            throw ApiException.invalid(
                    "maxTokens",
                    "the run has used %,d tokens; raise the total to resume it"
                            .formatted(usage.tokens()));
        }
        if (outOfBudget && budget.costUsd() != null && usage.costUsd() >= budget.costUsd()) {
            throw ApiException.invalid(
                    "maxCostUsd",
                    "the run has cost $%.2f; raise the total to resume it"
                            .formatted(usage.costUsd()));
        }
    }

    private static ApiException notRunningError(String message) {
        return new ApiException(ErrorCode.PAIR_NOT_RUNNING, message);
    }
}
