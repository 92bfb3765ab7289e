/**
 * Pairs: two sessions that work on clones of a user's repository, executed by the loop of {@code
 * dev.ash.pair}. Implements its peers (sessions) and repositories (git inside and outside of
 * sandboxes), and the endpoints.
 */
@NullMarked
package dev.ash.server.pair;

import org.jspecify.annotations.NullMarked;
