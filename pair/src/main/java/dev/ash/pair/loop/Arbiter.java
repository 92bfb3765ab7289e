package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;

/** Asks the user to decide disagreements of the peers. */
public interface Arbiter {
    /** The user's decision. */
    enum Decision {
        /** Run another round, with the user's comment. */
        GO_ON,
        /** Accept the work as it is. */
        ACCEPT,
        /** Reject the work and end the run. */
        REJECT
    }

    /** {@code by} names the source of the decision, such as a device. */
    record Answer(Decision decision, String comment, String by) {}

    /**
     * Asks the question and waits for the answer; empty if there is none within the time limit.
     * Idempotent for a disagreement number, also after a crash: a repeated call waits for the same
     * question, which may be answered already. Interrupting the thread leaves the question open.
     */
    Optional<Answer> decide(Disagreement disagreement, Duration limit) throws InterruptedException;

    /** Cancels the question after the run has ended. */
    void withdraw(int number);
}
