package dev.ash.bridge;

import dev.ash.bridge.engine.Turn;
import org.jspecify.annotations.Nullable;

/** A piece of work that {@link Turns} queues. */
sealed interface Work {
    default @Nullable Turn turn() {
        return null;
    }

    record Prompt(Turn turn) implements Work {}

    record Continue(Turn turn) implements Work {}

    record Resume() implements Work {}

    /** Starts the engine before anybody prompts it. */
    record Start() implements Work {}

    /** After the question {@code laidAside}, if there was one. */
    record Rest(@Nullable String laidAside) implements Work {}
}
