package dev.ash.server.event;

import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Determines the sizes of logs whose last event does not store it, because an earlier version wrote
 * it. Reading connections add up a few rows at a time; the writer adds only what was appended
 * meanwhile, and stores the result. Until then such a log counts as empty.
 */
public final class LogSizeStore {
    private static final String UNSIZED =
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
    private static final int SESSIONS = 100;

    private final Database database;
    private final EventStore events;
    private final int stepRows;
    private boolean searched; // the thread's that runs fill

    public LogSizeStore(Database database, EventStore events) {
        this(database, events, STEP_ROWS);
    }

    LogSizeStore(Database database, EventStore events, int stepRows) {
        this.database = database;
        this.events = events;
        this.stepRows = stepRows;
    }

    /** Rows after an event, the first of them up to a number. */
    private record Sum(long lastSeq, long rows, long bytes) {}

    /**
     * Searches the database once; later unknown sizes are those of forks, which appending finds.
     * For one thread.
     */
    public void fill() throws InterruptedException {
        var after = "";
        while (!searched) {
            var sessions = unsized(after);
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

    private List<String> unsized(String after) {
        return database.read(
                handle ->
                        handle.createQuery(UNSIZED)
                                .bind("after", after)
                                .bind("limit", SESSIONS)
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
                        (rows, _) ->
                                new Sum(
                                        rows.getLong("last_seq"),
                                        rows.getLong("row_count"),
                                        rows.getLong("bytes")))
                .one();
    }

    /** False if too many events were appended meanwhile to add them up here. */
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
