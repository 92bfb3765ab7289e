/**
 * What sessions spend on the model: reservations of calls in flight, admission against budgets, and
 * the totals of each session. Knows nothing of sandboxes and connections.
 */
@NullMarked
package dev.ash.server.spending;

import org.jspecify.annotations.NullMarked;
