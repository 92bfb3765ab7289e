package dev.ash.bridge.codex;

import dev.ash.bridge.engine.Turn;
import org.jspecify.annotations.Nullable;

/** The turn that a process is in; guarded by the monitor of {@link CodexProcess}. */
final class CodexTurn {
    private final Turn turn;
    private boolean announced;
    private @Nullable String id;
    private @Nullable String refusal;
    private boolean interrupting;
    private boolean over;

    CodexTurn(Turn turn) {
        this.turn = turn;
    }

    Turn turn() {
        return turn;
    }

    /** The CLI's name for it; null until it has said so. */
    @Nullable String id() {
        return id;
    }

    void named(String name) {
        id = name;
    }

    /** Whether its first message was said; for the thread that reads. */
    boolean announced() {
        return announced;
    }

    void announce() {
        announced = true;
    }

    /** Whether an interrupt meant for {@code wanted} hits this turn, for the first time. */
    boolean beginInterrupt(Turn wanted) {
        boolean first = !interrupting && !over && turn == wanted;
        interrupting |= first;
        return first;
    }

    boolean interrupting() {
        return interrupting;
    }

    /** The model's API refused, and trying again is of no use. True for the first time. */
    boolean refused(String sentence) {
        boolean first = refusal == null;
        refusal = first ? sentence : refusal;
        return first;
    }

    @Nullable String refusal() {
        return refusal;
    }

    void end() {
        over = true;
    }

    boolean over() {
        return over;
    }
}
