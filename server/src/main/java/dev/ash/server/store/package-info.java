/**
 * The database: how it is opened, and the one writer. With the {@code *Store} classes of the
 * features, the only place that knows SQL.
 */
@NullMarked
package dev.ash.server.store;

import org.jspecify.annotations.NullMarked;
