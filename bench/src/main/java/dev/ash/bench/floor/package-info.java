/** The floors of figures: the same work without Ash, on the same machine and in the same run. */
@NullMarked
package dev.ash.bench.floor;

import org.jspecify.annotations.NullMarked;
