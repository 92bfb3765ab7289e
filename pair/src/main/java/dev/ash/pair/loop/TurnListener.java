package dev.ash.pair.loop;

import org.jspecify.annotations.Nullable;

/** Receives the position of the loop before every turn, for the tools of the peers. */
public interface TurnListener {
    /** {@code commit} is the commit under review; null if the turn requires no verdict on one. */
    void turnStarts(int round, int turn, @Nullable String commit);
}
