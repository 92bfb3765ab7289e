package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;

/** Puts disagreements of the peers to the person, wherever that person is. */
public interface Arbiter {
    /** What the person makes of a disagreement. */
    enum Decision {
        /** Another round, with what the person says. */
        GO_ON,
        /** The work is right as it is. */
        ACCEPT,
        REJECT
    }

    /** {@code by} says where it came from, such as from which device. */
    record Answer(Decision decision, String words, String by) {}

    /**
     * Waits for the answer; empty if none came in time, or none will come. Asked again with the
     * same number, be it after a crash, it is the same question, which may have its answer already.
     * An interrupted thread leaves it open.
     */
    Optional<Answer> decide(Disagreement disagreement, Duration limit) throws InterruptedException;

    /** The run is over, so that nobody need answer it any more. */
    void withdraw(int number);
}
