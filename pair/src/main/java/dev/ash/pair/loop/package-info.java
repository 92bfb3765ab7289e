/**
 * The loop of a pair: work, proof, review, verdict, and again, until the work is right or a limit
 * is met. It knows peers, a repositories and a mailbox by their interfaces, and no server.
 */
@NullMarked
package dev.ash.pair.loop;

import org.jspecify.annotations.NullMarked;
