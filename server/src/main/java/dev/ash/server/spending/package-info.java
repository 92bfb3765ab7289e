/**
 * Model spending of sessions: reservations of calls in flight, admission against budgets, and the
 * totals of each session. Independent of sandboxes and connections.
 */
@NullMarked
package dev.ash.server.spending;

import org.jspecify.annotations.NullMarked;
