/**
 * The loop of a pair: rounds of work, proof and review until the work is approved or a limit is
 * reached. Depends only on interfaces for peers and repositories, not on the server.
 */
@NullMarked
package dev.ash.pair.loop;

import org.jspecify.annotations.NullMarked;
