package dev.ash.pair.loop;

import org.jspecify.annotations.Nullable;

/** Told before every turn what it is about, for the tools that the peers have meanwhile. */
public interface TurnListener {
    /** {@code commit} is what a verdict must be about; null where none is asked for. */
    void turnStarts(int round, int turn, @Nullable String commit);
}
