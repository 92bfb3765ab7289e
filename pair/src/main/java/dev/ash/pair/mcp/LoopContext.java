package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.verdict.Verdict;
import java.util.Optional;

/** Connects the tools to the loop of their run, if there is one. Thread-safe. */
public interface LoopContext {
    /** The context of a run without a loop. */
    LoopContext NONE = new LoopContext() {};

    /** Returns the current round. */
    default int iteration() {
        return 0;
    }

    /** Identifies the current turn: an equal verdict in another turn is not a duplicate. */
    default String turnKey() {
        return Integer.toString(iteration());
    }

    /** Returns the full hash of the commit under review, if any. */
    default Optional<String> commitUnderReview() {
        return Optional.empty();
    }

    /**
     * Called after a verdict was stored as a message of type {@code signal}; not called for
     * duplicates.
     */
    default void onVerdict(Verdict verdict, Entry signal) {}
}
