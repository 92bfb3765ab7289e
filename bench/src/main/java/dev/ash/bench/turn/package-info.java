/** Benchmarks of turns: messages, deltas, bursts of stored events, and the real CLI. */
@NullMarked
package dev.ash.bench.turn;

import org.jspecify.annotations.NullMarked;
