package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jspecify.annotations.Nullable;

/** The rows of the log. Appending is for the writer's thread alone: it owns the numbers. */
public final class EventStore {
    private static final int MAX_CACHED_SESSIONS = 4096;
    private static final long UNKNOWN = -1;

    /** Prepared by JDBC itself, which knows no names of parameters: it runs most often. */
    private static final String INSERT =
            """
            INSERT INTO events
              (session_id, seq, turn_id, type, data, created_at, bridge_id, n,
               message_no, event_no, log_bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String LAST_NUMBERS =
            """
            SELECT max(seq) AS seq, max(message_no) AS message_no
            FROM events
            WHERE session_id = :session
            """;

    /** Unknown in logs of earlier versions. */
    private static final String LAST_SIZE =
            """
            SELECT coalesce(log_bytes, :unknown)
            FROM events
            WHERE session_id = :session
            ORDER BY seq DESC
            LIMIT 1
            """;

    private static final String LAST_EVENT_ROW =
            """
            SELECT type, data, event_no
            FROM events
            WHERE session_id = :session
              AND event_no IS NOT NULL
            ORDER BY event_no DESC
            LIMIT 1
            """;

    private static final String OWNER =
            """
            SELECT tenant_id
            FROM sessions
            WHERE id = :session
            UNION ALL
            SELECT tenant_id
            FROM hook_sessions
            WHERE id = :session
            LIMIT 1
            """;

    private static final String LAST_OF_BRIDGE =
            """
            SELECT coalesce(max(n), 0)
            FROM events
            WHERE session_id = :session
              AND bridge_id = :named
            """;

    private static final String FIRST_OF_TURN =
            """
            SELECT coalesce(min(seq), 0)
            FROM events
            WHERE session_id = :session
              AND turn_id = :named
            """;

    private static final String LAST_SEQ =
            """
            SELECT max(seq)
            FROM events
            WHERE session_id = :session
            """;

    /** What a row takes on disk beside its data, about. */
    public static final int ROW_BYTES = 200;

    private final Database database;
    private final EventPageStore pages;
    private final LogLimit limit;
    private final Map<String, Counters> counters = new LruMap<>();

    /** Sessions that were removed while requests about them may still be in progress. */
    private final Set<String> removed =
            Collections.synchronizedSet(Collections.newSetFromMap(new LruMap<>()));

    /** Logs of unknown size that were found while appending to them. */
    private final Set<String> logsOfUnknownSize = ConcurrentHashMap.newKeySet();

    private static final class LruMap<V> extends LinkedHashMap<String, V> {
        private static final long serialVersionUID = 1L;

        private LruMap() {
            super(64, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MAX_CACHED_SESSIONS;
        }
    }

    public EventStore(Database database) {
        this(database, LogLimit.NONE);
    }

    public EventStore(Database database, LogLimit limit) {
        this.database = database;
        this.pages = new EventPageStore(database);
        this.limit = limit;
        database.writer().onRollback(counters::clear);
    }

    /**
     * Refuses further events of the session. For the writer's thread, after the removal's commit.
     */
    void markRemoved(SessionId session) {
        removed.add(session.value());
        counters.remove(session.value());
    }

    /** Whether the session was removed recently. */
    boolean isRemoved(SessionId session) {
        return removed.contains(session.value());
    }

    /** The last numbers given out in one session. */
    private static final class Counters {
        private long seq;
        private long message;
        private long event;
        private long bytes; // of the log; UNKNOWN until LogSizeStore has determined it
    }

    /**
     * Numbers the event and inserts it, as part of the unit of work that owns the handle. Refuses
     * it, and with it the whole unit, if the log has no room for it. A log of unknown size has
     * room.
     */
    public LoggedEvent append(Transaction transaction, NewEvent event, long now) {
        var last = counters.computeIfAbsent(event.session().value(), id -> load(transaction, id));
        long bytes =
                last.bytes == UNKNOWN ? UNKNOWN : last.bytes + event.data().length() + ROW_BYTES;
        if (bytes > limit.bytes() && LogLimit.appliesTo(event)) {
            throw limit.logFull();
        }
        last.seq++;
        last.bytes = bytes;
        try {
            insert(transaction.prepared(INSERT), event, last, now);
        } catch (SQLException e) {
            throw new UnableToExecuteStatementException(e, null);
        }
        last.message += event.isMessageRow() ? 1 : 0;
        last.event += event.eventRows();
        return new LoggedEvent(
                last.seq,
                event.turn(),
                event.type(),
                event.data(),
                now,
                event.mayHaveDerivedFrames());
    }

    private static void insert(PreparedStatement insert, NewEvent event, Counters last, long now)
            throws SQLException {
        var place = event.position();
        insert.setString(1, event.session().value());
        insert.setLong(2, last.seq);
        insert.setString(3, event.turn() == null ? null : event.turn().value());
        insert.setString(4, event.type().wire());
        insert.setBytes(5, event.data().toBytes());
        insert.setLong(6, now);
        insert.setString(7, place == null ? null : place.bridgeId());
        setLong(insert, 8, place == null ? null : place.n());
        setLong(insert, 9, event.isMessageRow() ? (Long) (last.message + 1) : null);
        setLong(insert, 10, event.eventRows() > 0 ? (Long) (last.event + 1) : null);
        setLong(insert, 11, last.bytes == UNKNOWN ? null : (Long) last.bytes);
        insert.executeUpdate();
    }

    private static void setLong(PreparedStatement statement, int index, @Nullable Long value)
            throws SQLException {
        if (value == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, value);
        }
    }

    /** An event may stand for several rows of a view, so the last one is derived to count on. */
    private Counters load(Transaction transaction, String session) {
        if (removed.contains(session)) {
            throw new ApiException(ErrorCode.SESSION_NOT_FOUND, "Session not found: " + session);
        }
        var numbers = new Counters();
        transaction
                .handle()
                .createQuery(LAST_NUMBERS)
                .bind("session", session)
                .map(
                        (rows, _) -> {
                            numbers.seq = rows.getLong("seq");
                            numbers.message = rows.getLong("message_no");
                            return numbers;
                        })
                .one();
        numbers.bytes = numbers.seq == 0 ? 0 : bytes(transaction.handle(), session);
        if (numbers.bytes == UNKNOWN) {
            logsOfUnknownSize.add(session);
        }
        transaction
                .handle()
                .createQuery(LAST_EVENT_ROW)
                .bind("session", session)
                .map(
                        (rows, _) ->
                                rows.getLong("event_no")
                                        + EventRows.count(
                                                EventType.ofWire(rows.getString("type")),
                                                new RawJson(rows.getBytes("data")))
                                        - 1)
                .findOne()
                .ifPresent(last -> numbers.event = last);
        return numbers;
    }

    /** The size up to the last event, which is unknown in logs of earlier versions. */
    private static long bytes(Handle handle, String session) {
        return handle.createQuery(LAST_SIZE)
                .bind("session", session)
                .bind("unknown", UNKNOWN)
                .mapTo(Long.class)
                .one();
    }

    /** Logs of unknown size that were found while appending to them. */
    Set<String> logsOfUnknownSize() {
        return Set.copyOf(logsOfUnknownSize);
    }

    /** Continues from a size that was determined up to the last event. For the writer's thread. */
    void setSize(String session, long bytes) {
        logsOfUnknownSize.remove(session);
        var last = counters.get(session);
        if (last != null) {
            last.bytes = bytes;
        }
    }

    /** The tenant whose session it is; empty for one that is unknown. */
    String tenantOf(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(OWNER)
                                .bind("session", session.value())
                                .mapTo(String.class)
                                .findOne()
                                .orElse(""));
    }

    /** Events after {@code seq}, in order, at most {@code limit}. */
    EventPageStore.Query after(SessionId session, long seq, int limit) {
        return pages.after(session, seq, limit);
    }

    EventPageStore.Query messagesAfter(SessionId session, long messageNo, int limit) {
        return pages.messagesAfter(session, messageNo, limit);
    }

    /** Begins at the event that holds row {@code eventNo + 1}, which may hold earlier rows too. */
    EventPageStore.Query eventsAfter(SessionId session, long eventNo, int limit) {
        return pages.eventsAfter(session, eventNo, limit);
    }

    long lastOfBridge(SessionId session, String bridgeId) {
        return number(LAST_OF_BRIDGE, session, bridgeId);
    }

    long firstOfTurn(SessionId session, TurnId turn) {
        return number(FIRST_OF_TURN, session, turn.value());
    }

    private long number(String query, SessionId session, String named) {
        return database.read(
                handle ->
                        handle.createQuery(query)
                                .bind("session", session.value())
                                .bind("named", named)
                                .mapTo(Long.class)
                                .one());
    }

    /** The number of the last event of a session. */
    public OptionalLong lastSeq(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(LAST_SEQ)
                                .bind("session", session.value())
                                .mapTo(Long.class)
                                .findOne()
                                .map(OptionalLong::of)
                                .orElseGet(OptionalLong::empty));
    }
}
