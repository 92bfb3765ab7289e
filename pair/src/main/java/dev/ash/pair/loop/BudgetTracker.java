package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Tracks the time and usage of a run against its budget. Used by the thread of the loop. */
final class BudgetTracker {
    private final Budget budget;
    private final Progress progress;
    private final Set<Peer> peers;
    private long timerStart = System.nanoTime();

    BudgetTracker(Budget budget, Progress progress, Set<Peer> peers) {
        this.budget = budget;
        this.progress = progress;
        this.peers = peers;
    }

    void startTimer() {
        timerStart = System.nanoTime();
    }

    /** Adds the time since the last call, or since {@link #startTimer}, to the spent time. */
    void addElapsedTime() {
        long now = System.nanoTime();
        progress.spentMillis += Duration.ofNanos(now - timerStart).toMillis();
        timerStart = now;
    }

    void updateUsage() {
        progress.usage = peers.stream().map(Peer::usage).reduce(Usage.NONE, Usage::plus);
    }

    Duration remainingTime() {
        addElapsedTime();
        var left = budget.time().minusMillis(progress.spentMillis);
        return left.isNegative() ? Duration.ZERO : left;
    }

    boolean isTimeOver() {
        return remainingTime().isZero();
    }

    Duration turnTimeout() {
        var left = remainingTime();
        return left.compareTo(budget.turn()) < 0 ? left : budget.turn();
    }

    /** Returns how the run ends if a limit is exceeded. */
    Optional<PeerTurns.RunEnd> exceeded() {
        var usage = progress.usage;
        if (isTimeOver()) {
            return end(
                    Outcome.TIMEOUT,
                    "The run reached its time limit of %s".formatted(format(budget.time())));
        }
        if (budget.tokens() != null && usage.tokens() >= budget.tokens()) {
            return end(
                    Outcome.BUDGET_EXHAUSTED,
                    "The run used %,d of %,d tokens".formatted(usage.tokens(), budget.tokens()));
        }
        if (budget.costUsd() != null && usage.costUsd() >= budget.costUsd()) {
            return end(
                    Outcome.BUDGET_EXHAUSTED,
                    "The run cost $%.2f of $%.2f".formatted(usage.costUsd(), budget.costUsd()));
        }
        return Optional.empty();
    }

    private static Optional<PeerTurns.RunEnd> end(Outcome outcome, String reason) {
        return Optional.of(new PeerTurns.RunEnd(outcome, reason));
    }

    static String format(Duration time) {
        if (time.toSeconds() < 120) {
            return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
        }
        return time.toMinutes() < 180 ? time.toMinutes() + " min" : time.toHours() + " h";
    }
}
