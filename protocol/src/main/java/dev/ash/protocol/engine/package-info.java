/**
 * The table of the engines that Ash can run and their properties. The bridge contains a driver for
 * each engine; all other engine-dependent code reads this table.
 */
@NullMarked
package dev.ash.protocol.engine;

import org.jspecify.annotations.NullMarked;
