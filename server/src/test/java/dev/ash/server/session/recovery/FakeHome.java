package dev.ash.server.session.recovery;

import org.jspecify.annotations.Nullable;

/** The home of a fake engine, which persists between bridges. */
final class FakeHome {
    private volatile @Nullable DeferredTurn deferredTurn;

    /** A turn with a deferred question, and the step that asked it. */
    record DeferredTurn(String id, TurnScript script, int step) {}

    @Nullable DeferredTurn deferredTurn() {
        return deferredTurn;
    }

    void setDeferredTurn(@Nullable DeferredTurn turn) {
        deferredTurn = turn;
    }

    FakeHome copy() {
        var copy = new FakeHome();
        copy.deferredTurn = deferredTurn;
        return copy;
    }
}
