/**
 * Counts the classes that one operation of a real server visits. An agent in the server's JVM
 * records which methods are entered and when; {@link dev.ash.bench.paths.Paths} performs the
 * operations and prints what was recorded. {@code scripts/paths} runs it.
 */
@NullMarked
package dev.ash.bench.paths;

import org.jspecify.annotations.NullMarked;
