package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import org.jspecify.annotations.Nullable;

/**
 * What a run is asked to do; it does not change while it runs.
 *
 * @param plan whether a plan is made and reviewed before anything is changed
 * @param worker null where nobody works: {@link Mode#REVIEW_ONLY}
 * @param reviewer null where nobody else reviews: {@link Mode#SINGLE}
 * @param proof a shell command that must end with 0; null for none
 * @param doneSignal what the worker says when it is done, as a line of its own
 * @param asksPerson whether a disagreement becomes a question to the person; it is a stalemate else
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
        boolean fits =
                switch (mode) {
                    case PAIR -> worker != null && reviewer != null && !worker.equals(reviewer);
                    case SINGLE -> worker != null && reviewer == null;
                    case REVIEW_ONLY -> worker == null && reviewer != null && !plan;
                };
        if (!fits) {
            throw new IllegalArgumentException(mode + " with " + worker + " and " + reviewer);
        }
    }

    public RunSpec with(Budget changed) {
        return new RunSpec(
                task, mode, plan, worker, reviewer, proof, doneSignal, changed, asksPerson);
    }

    /** Whoever does the first step. */
    public PeerName first() {
        return worker != null ? worker : judge();
    }

    /** Whoever gives the verdict. */
    public PeerName judge() {
        if (reviewer != null) {
            return reviewer;
        }
        return java.util.Objects.requireNonNull(worker);
    }
}
