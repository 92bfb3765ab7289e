/**
 * The database, its connections and its single writer. Only this package and the {@code *Store}
 * classes of features contain SQL. Statements specific to SQLite are in {@code Database}, {@code
 * FreePages} and {@code SealedValueStore}; all others are valid in PostgreSQL too, and a test that
 * extends {@code StoreContract} executes each of them.
 */
@NullMarked
package dev.ash.server.store;

import org.jspecify.annotations.NullMarked;
