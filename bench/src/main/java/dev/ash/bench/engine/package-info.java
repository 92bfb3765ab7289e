/** Benchmark of the real engines: how soon they answer, and their memory. */
@NullMarked
package dev.ash.bench.engine;

import org.jspecify.annotations.NullMarked;
