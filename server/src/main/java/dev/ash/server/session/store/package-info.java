/**
 * Stores sessions and turns and changes their status. The lowest layer of sessions: it starts no
 * sandboxes.
 */
@NullMarked
package dev.ash.server.session.store;

import org.jspecify.annotations.NullMarked;
