/** Statistics of measured values: quantiles, paired differences, and a test for regressions. */
@NullMarked
package dev.ash.bench.stats;

import org.jspecify.annotations.NullMarked;
