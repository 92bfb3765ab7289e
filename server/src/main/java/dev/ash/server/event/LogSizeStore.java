package dev.ash.server.event;

import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import java.util.List;

/**
 * Determines the sizes of logs whose last event was written by an earlier version and does not
 * include it. Read connections sum up a few rows at a time; the writer adds only events that were
 * appended meanwhile, and stores the result. Until then such a log counts as empty.
 */
public final class LogSizeStore {
    private static final String LOGS_OF_UNKNOWN_SIZE =
            """
            SELECT id
            FROM (
              SELECT id FROM sessions
              UNION ALL
              SELECT id FROM hook_sessions
            ) AS s
            WHERE id > :after
              AND (
                SELECT log_bytes IS NULL
                FROM events AS e
                WHERE e.session_id = s.id
                ORDER BY seq DESC
                LIMIT 1
              )
            ORDER BY id
            LIMIT :limit
            """;

    private static final String SUM =
            """
            SELECT coalesce(max(seq), 0) AS last_seq, count(*) AS row_count, coalesce(sum(bytes), 0) AS bytes
            FROM (
              SELECT seq, length(data) + :row AS bytes
              FROM events
              WHERE session_id = :session
                AND seq > :after
              ORDER BY seq
              LIMIT :limit
            ) AS step
            """;

    private static final String SET_SIZE =
            """
            UPDATE events
            SET log_bytes = :size
            WHERE session_id = :session
              AND seq = :last
            """;

    private static final int STEP_ROWS = 2000;
    private static final int BATCH_SESSIONS = 100;

    private final Database database;
    private final EventStore events;
    private final int stepRows;
    private boolean searched; // confined to the thread that runs fill

    public LogSizeStore(Database database, EventStore events) {
        this(database, events, STEP_ROWS);
    }

    LogSizeStore(Database database, EventStore events, int stepRows) {
        this.database = database;
        this.events = events;
        this.stepRows = stepRows;
    }

    /** The totals of a limited number of rows after an event. */
    private record Sum(long lastSeq, long rows, long bytes) {}

    /**
     * Determines all unknown sizes. Searches the database once; later only forks have unknown
     * sizes, which are found when events are appended. Not thread-safe.
     */
    public void fill() throws InterruptedException {
        var after = "";
        while (!searched) {
            var sessions = logsOfUnknownSize(after);
            for (var session : sessions) {
                fill(session);
                after = session;
            }
            searched = sessions.isEmpty();
        }
        for (var session : events.logsOfUnknownSize()) {
            fill(session);
        }
    }

    private List<String> logsOfUnknownSize(String after) {
        return database.read(
                handle ->
                        handle.createQuery(LOGS_OF_UNKNOWN_SIZE)
                                .bind("after", after)
                                .bind("limit", BATCH_SESSIONS)
                                .mapTo(String.class)
                                .list());
    }

    private void fill(String session) throws InterruptedException {
        long bytes = 0;
        long seq = 0;
        boolean stored = false;
        while (!stored) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long after = seq;
            var step = database.read(handle -> sum(handle, session, after));
            bytes += step.bytes();
            seq = Math.max(seq, step.lastSeq());
            if (step.rows() < stepRows) {
                long before = bytes;
                long last = seq;
                stored =
                        database.writer()
                                .write(transaction -> store(transaction, session, last, before));
            }
        }
    }

    private Sum sum(Handle handle, String session, long after) {
        return handle.createQuery(SUM)
                .bind("row", EventStore.ROW_BYTES)
                .bind("session", session)
                .bind("after", after)
                .bind("limit", stepRows)
                .map(
                        rows ->
                                new Sum(
                                        rows.getLong("last_seq"),
                                        rows.getLong("row_count"),
                                        rows.getLong("bytes")))
                .one();
    }

    /** Returns false if too many events were appended meanwhile to sum them up on the writer. */
    private boolean store(Transaction transaction, String session, long seq, long bytes) {
        var appended = sum(transaction.handle(), session, seq);
        if (appended.rows() == stepRows) {
            return false;
        }
        long size = bytes + appended.bytes();
        transaction
                .handle()
                .createUpdate(SET_SIZE)
                .bind("size", size)
                .bind("session", session)
                .bind("last", Math.max(seq, appended.lastSeq()))
                .execute();
        events.setSize(session, size);
        return true;
    }
}
