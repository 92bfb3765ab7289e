/**
 * Counts the classes that an operation of a real server visits. A Java agent in the server records
 * method entries and their times; {@link dev.ash.bench.paths.Paths} performs the operations and
 * prints the results. {@code scripts/paths} runs it.
 */
@NullMarked
package dev.ash.bench.paths;

import org.jspecify.annotations.NullMarked;
