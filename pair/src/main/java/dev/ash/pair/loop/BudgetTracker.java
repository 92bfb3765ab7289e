package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Watches that a run keeps within its budget. Used by the thread of the loop. */
final class BudgetTracker {
    private final Budget budget;
    private final Progress progress;
    private final Set<Peer> peers;
    private long begun = System.nanoTime();

    BudgetTracker(Budget budget, Progress progress, Set<Peer> peers) {
        this.budget = budget;
        this.progress = progress;
        this.peers = peers;
    }

    void begin() {
        begun = System.nanoTime();
    }

    /** Adds the time since the last call, or since {@link #begin}, to what was spent. */
    void count() {
        long now = System.nanoTime();
        progress.spentMillis += Duration.ofNanos(now - begun).toMillis();
        begun = now;
    }

    void measure() {
        progress.usage = peers.stream().map(Peer::used).reduce(Usage.NONE, Usage::plus);
    }

    Duration left() {
        count();
        var left = budget.time().minusMillis(progress.spentMillis);
        return left.isNegative() ? Duration.ZERO : left;
    }

    boolean isTimeOver() {
        return left().isZero();
    }

    Duration turn() {
        var left = left();
        return left.compareTo(budget.turn()) < 0 ? left : budget.turn();
    }

    /** Why no other turn is begun. */
    Optional<PeerTurns.Over> exceeded() {
        var usage = progress.usage;
        if (isTimeOver()) {
            return over(Outcome.TIMEOUT, "The run took its %s".formatted(words(budget.time())));
        }
        if (budget.tokens() != null && usage.tokens() >= budget.tokens()) {
            return over(
                    Outcome.BUDGET_EXHAUSTED,
                    "The run used %,d of its %,d tokens"
                            .formatted(usage.tokens(), budget.tokens()));
        }
        if (budget.costUsd() != null && usage.costUsd() >= budget.costUsd()) {
            return over(
                    Outcome.BUDGET_EXHAUSTED,
                    "The run cost $%.2f of its $%.2f".formatted(usage.costUsd(), budget.costUsd()));
        }
        return Optional.empty();
    }

    private static Optional<PeerTurns.Over> over(Outcome outcome, String sentence) {
        return Optional.of(new PeerTurns.Over(outcome, sentence));
    }

    static String words(Duration time) {
        if (time.toSeconds() < 120) {
            return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
        }
        return time.toMinutes() < 180 ? time.toMinutes() + " min" : time.toHours() + " h";
    }
}
