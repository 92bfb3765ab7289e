/** An agent that tries everything to get out of its sandbox. */
package dev.ash.e2e.wall;
