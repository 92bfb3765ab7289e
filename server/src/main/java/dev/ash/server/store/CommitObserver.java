package dev.ash.server.store;

import java.util.function.DoubleConsumer;

/**
 * Receives metrics of each commit. Runs on the writer's thread, so it must be fast.
 *
 * @param units the number of units of work in the commit
 * @param seconds the duration of the commit itself
 */
public record CommitObserver(DoubleConsumer units, DoubleConsumer seconds) {}
