package dev.ash.bridge;

import dev.ash.bridge.engine.Turn;
import org.jspecify.annotations.Nullable;

/** A unit of work in the queue of {@link Turns}. */
sealed interface Work {
    default @Nullable Turn turn() {
        return null;
    }

    record Prompt(Turn turn) implements Work {}

    record Continue(Turn turn) implements Work {}

    record Resume() implements Work {}

    /** Starts the engine before the first prompt. */
    record Start() implements Work {}

    /** Closes the engine; {@code deferredQuestion} is the id of the deferred question, or null. */
    record Rest(@Nullable String deferredQuestion) implements Work {}
}
