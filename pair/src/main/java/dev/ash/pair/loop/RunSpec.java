package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import org.jspecify.annotations.Nullable;

/**
 * The specification of a run: its task, peers and limits.
 *
 * @param plan whether a plan is written and reviewed before any change
 * @param worker null in {@link Mode#REVIEW_ONLY}
 * @param reviewer null in {@link Mode#SINGLE}
 * @param proof a shell command that must exit with 0; null for none
 * @param doneSignal the last line with which the worker signals completion
 * @param asksPerson whether the user decides disagreements; otherwise they end in a stalemate
 */
public record RunSpec(
        String task,
        Mode mode,
        boolean plan,
        @Nullable PeerName worker,
        @Nullable PeerName reviewer,
        @Nullable String proof,
        String doneSignal,
        Budget budget,
        boolean asksPerson) {
    public static final String DONE = "DONE";

    public RunSpec {
        boolean isValid =
                switch (mode) {
                    case PAIR -> worker != null && reviewer != null && !worker.equals(reviewer);
                    case SINGLE -> worker != null && reviewer == null;
                    case REVIEW_ONLY -> worker == null && reviewer != null && !plan;
                };
        if (!isValid) {
            throw new IllegalArgumentException(mode + " with " + worker + " and " + reviewer);
        }
    }

    public RunSpec with(Budget changed) {
        return new RunSpec(
                task, mode, plan, worker, reviewer, proof, doneSignal, changed, asksPerson);
    }

    /** Returns the peer that executes the first step. */
    public PeerName first() {
        return worker != null ? worker : judge();
    }

    /** Returns the peer that gives verdicts. */
    public PeerName judge() {
        if (reviewer != null) {
            return reviewer;
        }
        return java.util.Objects.requireNonNull(worker);
    }
}
