/** Benchmarks of the real programs: each starts its own server and prints the results. */
@NullMarked
package dev.ash.bench;

import org.jspecify.annotations.NullMarked;
