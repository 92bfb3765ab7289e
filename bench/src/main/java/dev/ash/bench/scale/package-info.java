/** Benchmarks of growth: subscribers, sessions, log sizes, memory, and noisy neighbors. */
@NullMarked
package dev.ash.bench.scale;

import org.jspecify.annotations.NullMarked;
