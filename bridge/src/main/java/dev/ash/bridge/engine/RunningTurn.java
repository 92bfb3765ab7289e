package dev.ash.bridge.engine;

/** The current turn of a process; guarded by the monitor of its {@link EngineProcess}. */
public abstract class RunningTurn {
    private final Turn turn;
    private boolean interrupting;
    private boolean ended;

    protected RunningTurn(Turn turn) {
        this.turn = turn;
    }

    public final Turn turn() {
        return turn;
    }

    /** Returns whether the engine has completed the turn, even if its end is not reported yet. */
    public boolean hasResult() {
        return ended;
    }

    /** Returns true for the first interrupt of this turn, if {@code target} is this turn. */
    final boolean beginInterrupt(Turn target) {
        boolean first = !interrupting && !ended && turn == target;
        interrupting |= first;
        return first;
    }

    public final boolean isInterrupting() {
        return interrupting;
    }

    final void markEnded() {
        ended = true;
    }

    public final boolean isEnded() {
        return ended;
    }
}
