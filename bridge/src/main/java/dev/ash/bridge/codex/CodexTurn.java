package dev.ash.bridge.codex;

import dev.ash.bridge.engine.RunningTurn;
import dev.ash.bridge.engine.Turn;
import org.jspecify.annotations.Nullable;

/** What is particular about a turn of the CLI: it gets a name there, and may be refused. */
final class CodexTurn extends RunningTurn {
    private boolean announced;
    private @Nullable String id;
    private @Nullable String refusal;

    CodexTurn(Turn turn) {
        super(turn);
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

    /** The model's API refused, and trying again is of no use. True for the first time. */
    boolean refused(String sentence) {
        boolean first = refusal == null;
        refusal = first ? sentence : refusal;
        return first;
    }

    @Nullable String refusal() {
        return refusal;
    }
}
