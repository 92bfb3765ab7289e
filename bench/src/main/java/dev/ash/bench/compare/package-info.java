/** Compares the servers of two builds in alternating pairs. */
@NullMarked
package dev.ash.bench.compare;

import org.jspecify.annotations.NullMarked;
