package dev.ash.server.store;

import java.util.function.DoubleConsumer;

/**
 * Receives figures of each commit, on the writer's thread, so it must be quick.
 *
 * @param units how many units of work shared the commit
 * @param seconds how long the commit alone took
 */
public record CommitObserver(DoubleConsumer units, DoubleConsumer seconds) {}
