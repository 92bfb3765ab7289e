package dev.ash.server.secret;

import dev.ash.protocol.SandboxId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.SqlStatement;
import dev.ash.server.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads and replaces the encrypted values of all tables. */
final class SealedValueStore {
    /** Every sealed column. Its table has a text primary key {@code id}. */
    enum Column {
        AGENTS("agents", "env"),
        CREDENTIALS("credentials", "secret"),
        SESSIONS("sessions", "settings");

        final String table;
        final String column;

        Column(String table, String column) {
            this.table = table;
            this.column = column;
        }

        /** Sets the table and column of a statement. */
        private <S extends SqlStatement<S>> S bindTo(S statement) {
            return statement.define("table", table).define("column", column);
        }
    }

    private static final String COUNT_OUTDATED =
            """
            SELECT count(*)
            FROM <table>
            WHERE id > :after
              AND <column> IS NOT NULL
              AND substr(<column>, 1, :length) <> :prefix
            """;

    private static final String OUTDATED =
            """
            SELECT id, length(<column>) AS bytes
            FROM <table>
            WHERE id > :after
              AND <column> IS NOT NULL
              AND substr(<column>, 1, :length) <> :prefix
            ORDER BY id
            LIMIT :limit
            """;

    private static final String VALUE =
            """
            SELECT <column>
            FROM <table>
            WHERE id = :id
            """;

    private static final String REPLACE =
            """
            UPDATE <table>
            SET <column> = :after
            WHERE id = :id
              AND <column> = :before
            """;

    private static final String OVERWRITE_DELETED =
            """
            PRAGMA secure_delete = ON
            """;

    private static final String KEEP_DELETED =
            """
            PRAGMA secure_delete = OFF
            """;

    private static final String LAST_LAUNCH =
            """
            SELECT coalesce(max(launched_at), 0)
            FROM sandboxes
            """;

    private static final String LAUNCHES_UNTIL =
            """
            SELECT id, coalesce(launched_at, 0) AS launched
            FROM sandboxes
            WHERE state <> 'cold'
              AND coalesce(launched_at, 0) <= :time
            """;

    /** Rewriting a database of this size takes less than a second. */
    static final long MAX_REWRITTEN_BYTES = 64L * 1024 * 1024;

    private static final int BATCH_ROWS = 100;
    private static final long BATCH_BYTES = 1024 * 1024;

    private final Database database;
    private final Sealer sealer;
    private final long maxRewrittenBytes;

    SealedValueStore(Database database, Sealer sealer, long maxRewrittenBytes) {
        this.database = database;
        this.sealer = sealer;
        this.maxRewrittenBytes = maxRewrittenBytes;
    }

    /**
     * The result of a batch.
     *
     * @param lastId the id after which the next batch continues
     * @param unreadable the number of values that no key can decrypt
     */
    record Batch(String lastId, int resealed, int unreadable) {}

    private record Found(String id, long bytes) {}

    private static final class Resealed {
        final String id;
        final byte[] before;
        final byte[] after;

        Resealed(String id, byte[] before, byte[] after) {
            this.id = id;
            this.before = before;
            this.after = after;
        }
    }

    /** Waits until all values sealed so far are committed. */
    void awaitWriter() {
        database.writer().write(_ -> true);
    }

    /** Returns the number of values that are not encrypted with the current key. */
    long remaining(Column column) {
        return database.read(
                handle ->
                        column.bindTo(handle.createQuery(COUNT_OUTDATED))
                                .bind("after", "")
                                .bind("length", sealer.currentPrefix().length)
                                .bind("prefix", sealer.currentPrefix())
                                .mapTo(Long.class)
                                .one());
    }

    /** Encrypts the next values again, ordered by id; returns empty if there are none. */
    Optional<Batch> reseal(Column column, String after) {
        var found = database.read(handle -> next(handle, column, after));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        var values = new ArrayList<Resealed>();
        int unreadable = 0;
        for (var row : found) {
            var before = database.read(handle -> value(handle, column, row.id()));
            if (before.isEmpty()) {
                continue; // deleted concurrently
            }
            try {
                var plain = sealer.unseal(before.get());
                values.add(new Resealed(row.id(), before.get(), sealer.seal(plain)));
            } catch (IllegalStateException e) {
                unreadable++;
            }
        }
        int resealed = database.writer().write(transaction -> replace(transaction, column, values));
        return Optional.of(new Batch(found.getLast().id(), resealed, unreadable));
    }

    /** Returns values of at most {@link #BATCH_BYTES} in total, but at least one. */
    private List<Found> next(Handle handle, Column column, String after) {
        var rows =
                column.bindTo(handle.createQuery(OUTDATED))
                        .bind("after", after)
                        .bind("length", sealer.currentPrefix().length)
                        .bind("prefix", sealer.currentPrefix())
                        .bind("limit", BATCH_ROWS)
                        .map(row -> new Found(row.getString("id"), row.getLong("bytes")))
                        .list();
        var batch = new ArrayList<Found>();
        long bytes = 0;
        for (var row : rows) {
            bytes += row.bytes();
            if (!batch.isEmpty() && bytes > BATCH_BYTES) {
                break;
            }
            batch.add(row);
        }
        return batch;
    }

    private static Optional<byte[]> value(Handle handle, Column column, String id) {
        return column.bindTo(handle.createQuery(VALUE))
                .bind("id", id)
                .map(row -> Optional.ofNullable(row.getBytes(1)))
                .findOne()
                .flatMap(value -> value);
    }

    /** Skips values that were updated concurrently, because updates use the current key. */
    private static int replace(Transaction transaction, Column column, List<Resealed> values) {
        overwriteDeleted(transaction, true);
        int replaced = 0;
        for (var value : values) {
            replaced +=
                    column.bindTo(transaction.handle().createUpdate(REPLACE))
                            .bind("id", value.id)
                            .bind("before", value.before)
                            .bind("after", value.after)
                            .execute();
        }
        return replaced;
    }

    /** Sets whether SQLite overwrites replaced values with zeros on the writer's connection. */
    private static void overwriteDeleted(Transaction transaction, boolean on) {
        transaction
                .handle()
                .createQuery(on ? OVERWRITE_DELETED : KEEP_DELETED)
                .mapTo(Integer.class)
                .one();
    }

    /** Erases old values from free pages and the write-ahead log. */
    Database.Cleaning cleanFiles() {
        database.writer()
                .write(
                        transaction -> {
                            overwriteDeleted(transaction, false);
                            return true;
                        });
        return database.clean(maxRewrittenBytes);
    }

    /** Returns the time of the latest launch of a sandbox. */
    long lastLaunch() {
        return database.read(handle -> handle.createQuery(LAST_LAUNCH).mapTo(Long.class).one());
    }

    /** A launch; {@code at} is 0 if an earlier version did not record the time. */
    record Launch(SandboxId sandbox, long at) {}

    /** Returns the launches up to this time of sandboxes that may still run. */
    List<Launch> launchesUntil(long time) {
        return database.read(
                handle ->
                        handle.createQuery(LAUNCHES_UNTIL)
                                .bind("time", time)
                                .map(
                                        row ->
                                                new Launch(
                                                        new SandboxId(row.getString("id")),
                                                        row.getLong("launched")))
                                .list());
    }
}
