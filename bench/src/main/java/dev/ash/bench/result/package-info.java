/**
 * The results of benchmarks: figures with floors and limits, growth curves, and their JSON file.
 */
@NullMarked
package dev.ash.bench.result;

import org.jspecify.annotations.NullMarked;
