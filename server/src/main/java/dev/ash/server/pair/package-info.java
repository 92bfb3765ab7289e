/**
 * Pairs: two sessions that work on clones of a user's repository, driven by the loop of {@code
 * dev.ash.pair}. Here are its peers (sessions), its repositories (git, in and out of sandboxes),
 * and the endpoints.
 */
@NullMarked
package dev.ash.server.pair;

import org.jspecify.annotations.NullMarked;
