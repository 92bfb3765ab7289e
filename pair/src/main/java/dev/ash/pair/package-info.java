/** Pairs: two peers that work on one task, one implementing and one reviewing. */
@NullMarked
package dev.ash.pair;

import org.jspecify.annotations.NullMarked;
