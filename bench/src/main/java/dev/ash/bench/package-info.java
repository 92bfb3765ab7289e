/** Benchmarks of the real programs: each starts a server of its own and prints what it measured. */
@NullMarked
package dev.ash.bench;

import org.jspecify.annotations.NullMarked;
