package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stores the events of all sessions. Only the writer's thread may append: it owns the counters from
 * which events are numbered.
 */
public final class EventStore {
    private static final int MAX_CACHED_SESSIONS = 4096;
    private static final long UNKNOWN = -1;

    /** Executed most often, so its parameters are bound by position. */
    private static final String INSERT =
            """
            INSERT INTO events
              (session_id, seq, turn_id, type, data, created_at, bridge_id, n,
               message_no, event_no, log_bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /** Two queries, each of which reads the end of an index: one query would read the whole log. */
    static final String LAST_NUMBERS =
            """
            SELECT
              (SELECT max(seq) FROM events WHERE session_id = :session) AS seq,
              (SELECT max(message_no)
               FROM events
               WHERE session_id = :session
                 AND message_no IS NOT NULL) AS message_no
            """;

    /** Unknown in logs of earlier versions. */
    static final String LAST_SIZE =
            """
            SELECT coalesce(log_bytes, :unknown)
            FROM events
            WHERE session_id = :session
            ORDER BY seq DESC
            LIMIT 1
            """;

    static final String LAST_EVENT_ROW =
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

    static final String LAST_OF_BRIDGE =
            """
            SELECT coalesce(max(n), 0)
            FROM events
            WHERE session_id = :session
              AND bridge_id = :id
              AND n IS NOT NULL
            """;

    /** Without min(), for which SQLite would read the log from its beginning. */
    static final String FIRST_OF_TURN =
            """
            SELECT coalesce((
              SELECT seq
              FROM events
              WHERE session_id = :session
                AND turn_id = :id
                AND type = 'prompt'
            ), 0)
            """;

    static final String LAST_SEQ =
            """
            SELECT max(seq)
            FROM events
            WHERE session_id = :session
            """;

    /** The approximate size of a row on disk without its data. */
    public static final int ROW_BYTES = 200;

    private final Database database;
    private final EventPageStore pages;
    private final LogLimit limit;
    private final Map<String, Counters> counters = new LruMap<>();

    private final Map<String, String> owners = Collections.synchronizedMap(new LruMap<>());

    /** Recently removed sessions: requests for them may still be in progress. */
    private final Set<String> removed =
            Collections.synchronizedSet(Collections.newSetFromMap(new LruMap<>()));

    /** Logs of unknown size to which events were appended. */
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
     * Rejects further events of the session. Called on the writer's thread after the session's
     * removal is committed.
     */
    void markRemoved(SessionId session) {
        removed.add(session.value());
        counters.remove(session.value());
    }

    /** Whether the session was removed recently. */
    boolean isRemoved(SessionId session) {
        return removed.contains(session.value());
    }

    /** The latest numbers of one session. */
    private static final class Counters {
        private long seq;
        private long message;
        private long event;
        private long bytes; // size of the log; UNKNOWN until LogSizeStore has determined it
    }

    /**
     * Numbers the event and inserts it in the transaction. Throws, which rolls back the whole unit
     * of work, if the event would exceed the limit of the log. The limit does not apply to a log of
     * unknown size.
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
        insert(transaction, event, last, now);
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

    private static void insert(Transaction transaction, NewEvent event, Counters last, long now) {
        var place = event.position();
        transaction
                .handle()
                .execute(
                        INSERT,
                        event.session().value(),
                        last.seq,
                        event.turn() == null ? null : event.turn().value(),
                        event.type().wire(),
                        event.data().toBytes(),
                        now,
                        place == null ? null : place.bridgeId(),
                        place == null ? null : place.n(),
                        event.isMessageRow() ? (Long) (last.message + 1) : null,
                        event.eventRows() > 0 ? (Long) (last.event + 1) : null,
                        last.bytes == UNKNOWN ? null : (Long) last.bytes);
    }

    /** The last event may have several rows in a view, so they are counted. */
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
                        rows -> {
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
                        rows ->
                                rows.getLong("event_no")
                                        + EventRows.count(
                                                EventType.ofWire(rows.getString("type")),
                                                new RawJson(rows.getBytes("data")))
                                        - 1)
                .findOne()
                .ifPresent(last -> numbers.event = last);
        return numbers;
    }

    /** Returns the size of the log; unknown if an earlier version wrote its last event. */
    private static long bytes(Handle handle, String session) {
        return handle.createQuery(LAST_SIZE)
                .bind("session", session)
                .bind("unknown", UNKNOWN)
                .mapTo(Long.class)
                .one();
    }

    /** Returns the logs of unknown size to which events were appended. */
    Set<String> logsOfUnknownSize() {
        return Set.copyOf(logsOfUnknownSize);
    }

    /** Sets the size of a log up to its last event. Called on the writer's thread. */
    void setSize(String session, long bytes) {
        logsOfUnknownSize.remove(session);
        var last = counters.get(session);
        if (last != null) {
            last.bytes = bytes;
        }
    }

    /** Returns the tenant of a session; an empty string if the session is unknown. */
    String tenantOf(SessionId session) {
        var known = owners.get(session.value());
        if (known != null) {
            return known; // the tenant of a session never changes
        }
        var read =
                database.read(
                        handle ->
                                handle.createQuery(OWNER)
                                        .bind("session", session.value())
                                        .mapTo(String.class)
                                        .findOne());
        read.ifPresent(tenant -> owners.put(session.value(), tenant));
        return read.orElse("");
    }

    /** Reads events after {@code seq} in order, at most {@code limit}. */
    EventPageStore.Query after(SessionId session, long seq, int limit) {
        return pages.after(session, seq, limit);
    }

    EventPageStore.Query messagesAfter(SessionId session, long messageNo, int limit) {
        return pages.messagesAfter(session, messageNo, limit);
    }

    /** Reads from the event that contains row {@code eventNo + 1}, and perhaps earlier rows. */
    EventPageStore.Query eventsAfter(SessionId session, long eventNo, int limit) {
        return pages.eventsAfter(session, eventNo, limit);
    }

    long lastOfBridge(SessionId session, String bridgeId) {
        return number(LAST_OF_BRIDGE, session, bridgeId);
    }

    long firstOfTurn(SessionId session, TurnId turn) {
        return number(FIRST_OF_TURN, session, turn.value());
    }

    private long number(String query, SessionId session, String id) {
        return database.read(
                handle ->
                        handle.createQuery(query)
                                .bind("session", session.value())
                                .bind("id", id)
                                .mapTo(Long.class)
                                .one());
    }

    /** Returns the number of the last event of a session. */
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
