package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Columns;
import dev.ash.server.store.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads pages of the log, limited in rows and in bytes. */
final class EventPageStore {
    static final String AFTER_SEQ =
            """
            SELECT *, length(data) AS size
            FROM events
            WHERE session_id = :session
              AND seq > :no
            ORDER BY seq
            LIMIT :limit
            """;

    static final String AFTER_MESSAGE =
            """
            SELECT *, length(data) AS size
            FROM events
            WHERE session_id = :session
              AND message_no > :no
            ORDER BY message_no
            LIMIT :limit
            """;

    static final String AFTER_EVENT_ROW =
            """
            SELECT *, length(data) AS size
            FROM events
            WHERE session_id = :session
              AND event_no >= (
                SELECT coalesce(max(event_no), 0)
                FROM events
                WHERE session_id = :session
                  AND event_no <= :no + 1
              )
            ORDER BY event_no
            LIMIT :limit
            """;

    private final Database database;

    EventPageStore(Database database) {
        this.database = database;
    }

    /** An event with its numbers in the views. */
    record NumberedEvent(LoggedEvent event, @Nullable Long messageNo, @Nullable Long eventNo) {}

    /** Reads events of the log with at most {@code maxBytes} in total. */
    interface Query {
        Page run(long maxBytes);
    }

    /**
     * The first rows of a query, up to its limit in bytes.
     *
     * @param isComplete whether these are all rows of the query
     * @param oversizedBytes the size of the first row if it alone exceeds the limit, so that there
     *     are no rows; else 0
     */
    record Page(List<NumberedEvent> rows, boolean isComplete, long oversizedBytes) {}

    Query after(SessionId session, long seq, int limit) {
        return maxBytes -> page(AFTER_SEQ, session, seq, limit, maxBytes);
    }

    Query messagesAfter(SessionId session, long messageNo, int limit) {
        return maxBytes -> page(AFTER_MESSAGE, session, messageNo, limit, maxBytes);
    }

    Query eventsAfter(SessionId session, long eventNo, int limit) {
        return maxBytes -> page(AFTER_EVENT_ROW, session, eventNo, limit, maxBytes);
    }

    private Page page(String query, SessionId session, long no, int limit, long maxBytes) {
        return database.read(
                handle ->
                        handle.createQuery(query)
                                .bind("session", session.value())
                                .bind("no", no)
                                .bind("limit", limit)
                                .read(rows -> readPage(maxBytes, limit, rows)));
    }

    /** Reads the size of each row first: SQLite loads the data of a row only on demand. */
    private static Page readPage(long maxBytes, int limit, ResultSet rows) throws SQLException {
        var found = new ArrayList<NumberedEvent>();
        long remaining = maxBytes;
        while (rows.next()) {
            long size = rows.getLong("size");
            if (size > remaining) {
                return new Page(found, false, found.isEmpty() ? size : 0);
            }
            remaining -= size;
            found.add(numbered(rows));
        }
        return new Page(found, found.size() < limit, 0);
    }

    private static NumberedEvent numbered(ResultSet rows) throws SQLException {
        var event =
                new LoggedEvent(
                        rows.getLong("seq"),
                        Optional.ofNullable(rows.getString("turn_id"))
                                .map(TurnId::new)
                                .orElse(null),
                        EventType.ofWire(rows.getString("type")),
                        new RawJson(rows.getBytes("data")),
                        rows.getLong("created_at"));
        return new NumberedEvent(
                event,
                Columns.nullableLong(rows, "message_no"),
                Columns.nullableLong(rows, "event_no"));
    }
}
