/**
 * Benchmarks of the real programs: {@code ./ash bench} measures figures with their floors and
 * compares them with an earlier result.
 */
@NullMarked
package dev.ash.bench;

import org.jspecify.annotations.NullMarked;
