package dev.ash.bridge.engine;

/** The turn that a process is in; guarded by the monitor of its {@link EngineProcess}. */
public abstract class RunningTurn {
    private final Turn turn;
    private boolean interrupting;
    private boolean over;

    protected RunningTurn(Turn turn) {
        this.turn = turn;
    }

    public final Turn turn() {
        return turn;
    }

    /** Whether the engine is done with it, though the end may not be reported yet. */
    public boolean hasResult() {
        return over;
    }

    /** Whether an interrupt meant for {@code wanted} hits this turn, for the first time. */
    final boolean beginInterrupt(Turn wanted) {
        boolean first = !interrupting && !over && turn == wanted;
        interrupting |= first;
        return first;
    }

    public final boolean interrupting() {
        return interrupting;
    }

    final void end() {
        over = true;
    }

    public final boolean over() {
        return over;
    }
}
