package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.verdict.Verdict;
import java.util.Optional;

/** What the tools ask and tell the loop of their run, if there is one. Any thread may call it. */
public interface LoopContext {
    /** For a run without a loop. */
    LoopContext NONE = new LoopContext() {};

    /** The round that messages belong to. */
    default int iteration() {
        return 0;
    }

    /** Tells turns apart: the same verdict in another one is said anew, and is no retry. */
    default String occasion() {
        return Integer.toString(iteration());
    }

    /** The full hash of the commit that a verdict must be about, if one is under review. */
    default Optional<String> commitUnderReview() {
        return Optional.empty();
    }

    /** A verdict was stored, as this message of type {@code signal}; not told again for a retry. */
    default void verdict(Verdict verdict, Entry signal) {}
}
