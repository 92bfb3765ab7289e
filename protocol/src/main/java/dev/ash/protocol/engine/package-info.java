/**
 * The engines that Ash can run, as one table of facts. How a bridge drives an engine is in the
 * bridge; everything else that depends on the engine reads this table.
 */
@NullMarked
package dev.ash.protocol.engine;

import org.jspecify.annotations.NullMarked;
