package dev.ash.bridge.codex;

import dev.ash.bridge.engine.RunningTurn;
import dev.ash.bridge.engine.Turn;
import org.jspecify.annotations.Nullable;

/** A turn of the CLI, with its id there and a fatal error of the model's API. */
final class CodexTurn extends RunningTurn {
    private boolean announced;
    private volatile @Nullable String id;
    private @Nullable String apiError;

    CodexTurn(Turn turn) {
        super(turn);
    }

    /** Returns the CLI's id of the turn; null until it is known. */
    @Nullable String id() {
        return id;
    }

    void setId(String threadTurnId) {
        id = threadTurnId;
    }

    /** Whether the first message was sent; used only by the thread that reads from the CLI. */
    boolean announced() {
        return announced;
    }

    void announce() {
        announced = true;
    }

    /** Records an error of the model's API that a retry cannot fix; true for the first call. */
    boolean recordApiError(String message) {
        boolean first = apiError == null;
        apiError = first ? message : apiError;
        return first;
    }

    @Nullable String apiError() {
        return apiError;
    }
}
