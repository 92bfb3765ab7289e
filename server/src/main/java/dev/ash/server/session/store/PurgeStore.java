package dev.ash.server.session.store;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes the rows of sessions. The first transaction removes the session's own row, without which
 * the others cannot be found, and records the purge; the others follow in batches, and the record
 * is removed last.
 */
public final class PurgeStore {
    private static final int BATCH_ROWS = 500;
    private static final long BATCH_BYTES = 1024 * 1024;

    private static final String DELETE_SESSION =
            """
            DELETE FROM sessions
            WHERE id = :id
            """;

    private static final String INSERT =
            """
            INSERT INTO purges (session_id, tenant_id, sandbox_id, begun_at)
            VALUES (:id, :tenant, :sandbox, :now)
            ON CONFLICT DO NOTHING
            """;

    private static final String NEXT =
            """
            SELECT session_id, sandbox_id
            FROM purges
            ORDER BY begun_at
            LIMIT 1
            """;

    private static final String ENDED_BEFORE =
            """
            SELECT tenant_id, id
            FROM sessions
            WHERE status = 'ended'
              AND ended_at < :time
            ORDER BY ended_at
            LIMIT :limit
            """;

    /** Executed for each {@link Table}, like {@link #DELETE_ROWS}. */
    private static final String FIND_ROWS =
            """
            SELECT rowid, coalesce(length(<large>), 0) AS bytes
            FROM <table>
            WHERE session_id = :id
            LIMIT :limit
            """;

    private static final String DELETE_ROWS =
            """
            DELETE FROM <table>
            WHERE rowid IN (<rows>)
            """;

    private static final String DELETE =
            """
            DELETE FROM purges
            WHERE session_id = :id
            """;

    /**
     * The tables with rows of a session, and their column that may be large. A session's totals of
     * tokens and cost are in its own row and are removed with it: no budget spans several sessions.
     * A model call that is still in flight finds no reservation and is not charged. A budget of a
     * tenant or a day would need totals of its own.
     */
    private enum Table {
        EVENTS("events", "data"),
        TURNS("turns", "query"),
        APPROVALS("approvals", "input"),
        APPROVAL_RULES("approval_rules", "tool"),
        IDEMPOTENCY_KEYS("idempotency_keys", "key"),
        DEVICE_CURSORS("device_cursors", "device_id"),
        DEVICE_REQUESTS("device_requests", "digest"),
        NOTIFICATIONS("notifications", "data"),
        RESERVATIONS("reservations", "agent_name");

        private final String table;
        private final String largeColumn;

        Table(String table, String largeColumn) {
            this.table = table;
            this.largeColumn = largeColumn;
        }
    }

    private record RowSize(long row, long bytes) {}

    /** A session that is being removed. */
    public record Purge(SessionId session, SandboxId sandbox) {}

    private final Database database;

    public PurgeStore(Database database) {
        this.database = database;
    }

    /** Removes the session's row; from this commit on the session does not exist for clients. */
    public void begin(Transaction transaction, SessionRow row, long now) {
        var handle = transaction.handle();
        handle.createUpdate(DELETE_SESSION).bind("id", row.id().value()).execute();
        handle.createUpdate(INSERT)
                .bind("id", row.id().value())
                .bind("tenant", row.tenant().value())
                .bind("sandbox", row.sandbox().value())
                .bind("now", now)
                .execute();
    }

    public Optional<Purge> next() {
        return database.read(
                handle ->
                        handle.createQuery(NEXT)
                                .map(
                                        rows ->
                                                new Purge(
                                                        new SessionId(rows.getString("session_id")),
                                                        new SandboxId(
                                                                rows.getString("sandbox_id"))))
                                .findOne());
    }

    /** An ended session whose retention has expired. */
    public record Expired(TenantId tenant, SessionId session) {}

    public List<Expired> endedBefore(long time, int limit) {
        return database.read(
                handle ->
                        handle.createQuery(ENDED_BEFORE)
                                .bind("time", time)
                                .bind("limit", limit)
                                .map(
                                        rows ->
                                                new Expired(
                                                        new TenantId(rows.getString("tenant_id")),
                                                        new SessionId(rows.getString("id"))))
                                .list());
    }

    /** Removes some rows in one transaction; returns false when all rows are removed. */
    public boolean removeBatch(SessionId session) {
        for (var table : Table.values()) {
            var batch = batch(table, session);
            if (!batch.isEmpty()) {
                database.writer().write(transaction -> delete(transaction, table, batch));
                return true;
            }
        }
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE)
                                        .bind("id", session.value())
                                        .execute());
        return false;
    }

    /** Finds rows on a read connection, so that the writer only deletes; no rows are added. */
    private List<Long> batch(Table table, SessionId session) {
        var found =
                database.read(
                        handle ->
                                handle.createQuery(FIND_ROWS)
                                        .define("table", table.table)
                                        .define("large", table.largeColumn)
                                        .bind("id", session.value())
                                        .bind("limit", BATCH_ROWS)
                                        .map(
                                                rows ->
                                                        new RowSize(
                                                                rows.getLong("rowid"),
                                                                rows.getLong("bytes")))
                                        .list());
        var batch = new ArrayList<Long>();
        long bytes = 0;
        for (var row : found) {
            bytes += row.bytes();
            if (!batch.isEmpty() && bytes > BATCH_BYTES) {
                break;
            }
            batch.add(row.row());
        }
        return batch;
    }

    private static int delete(Transaction transaction, Table table, List<Long> rows) {
        return transaction
                .handle()
                .createUpdate(DELETE_ROWS)
                .define("table", table.table)
                .bindList("rows", rows)
                .execute();
    }
}
