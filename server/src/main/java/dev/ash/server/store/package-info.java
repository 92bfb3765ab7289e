/**
 * The database: how it is opened, and the one writer. With the {@code *Store} classes of the
 * features, the only place that knows SQL. SQLite's own statements are in {@code Database}, {@code
 * FreePages} and {@code SealedValueStore}; all others use SQL that PostgreSQL has too, and every
 * one is executed by a test that extends {@code StoreContract}.
 */
@NullMarked
package dev.ash.server.store;

import org.jspecify.annotations.NullMarked;
