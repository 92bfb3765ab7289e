package dev.ash.server.session.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import dev.ash.server.store.Writer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores turns, each with the {@code query} command for its bridge. */
public final class TurnStore {
    private final Database database;
    private final Clock clock;

    public TurnStore(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** The status of a turn. A turn ends as {@code DONE} or {@code ERROR}. */
    public enum Status {
        /** Its prompt waits for the turns before it. */
        QUEUED,
        /** It was sent to the bridge. */
        RUNNING,
        /** It waits for the answer to a question, without an engine. */
        DEFERRED,
        /** It was sent to a bridge again after it was deferred. */
        CONTINUED,
        DONE,
        ERROR;

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether only {@code continue} resumes it. */
        public boolean isDeferred() {
            return this == DEFERRED || this == CONTINUED;
        }

        /** Whether an engine works on it. */
        public boolean hasEngine() {
            return this == RUNNING || this == CONTINUED;
        }
    }

    /** Marks a prompt that is in the log; prompts are never empty. */
    private static final RawJson IN_LOG = RawJson.string("");

    /** Returns the command as it is stored when its prompt is in the log. */
    public static BridgeCommand.Query withoutPrompt(BridgeCommand.Query query) {
        return withPrompt(query, IN_LOG);
    }

    private static BridgeCommand.Query withPrompt(BridgeCommand.Query query, RawJson prompt) {
        return new BridgeCommand.Query(prompt, query.sessionId(), query.turnId(), query.options());
    }

    /** A turn without a {@code done}; turns that the engine started have no query. */
    public record OpenTurn(TurnId id, Status status, boolean hasQuery) {}

    /**
     * Returns the command of a turn for its bridge; empty for a turn that the engine started, and
     * for one that has ended.
     */
    public Optional<BridgeCommand.Query> query(TurnId turn) {
        return database.read(
                handle ->
                        handle.createQuery(TurnSql.QUERY)
                                .bind("id", turn.value())
                                .map(
                                        rows ->
                                                withPrompt(
                                                        handle,
                                                        query(rows.getBytes("query")),
                                                        rows.getString("session_id"),
                                                        turn))
                                .findOne());
    }

    /** Returns the size of that command in bytes. */
    public long queryBytes(TurnId turn) {
        return database.read(
                handle ->
                        handle.createQuery(TurnSql.QUERY_BYTES)
                                .bind("id", turn.value())
                                .mapTo(Long.class)
                                .findOne()
                                .orElse(0L));
    }

    /** Inserts a running turn of a client. */
    public void begin(
            Transaction transaction,
            SessionId session,
            TurnId turn,
            BridgeCommand.Query query,
            long now) {
        insert(transaction, session, turn, Status.RUNNING, query, now);
    }

    /** Inserts a queued turn, together with other statements. */
    public void enqueue(
            SessionId session,
            TurnId turn,
            BridgeCommand.Query query,
            SessionEvents.Statements with) {
        database.writer()
                .execute(
                        transaction -> {
                            long now = clock.millis();
                            with.run(transaction, now);
                            insert(transaction, session, turn, Status.QUEUED, query, now);
                        });
    }

    /**
     * Inserts a running turn that the engine started. The bridge chooses its id, so the id of
     * another session's turn is rejected: the end of this turn would end that one.
     */
    public void beginEngineTurn(Transaction transaction, SessionId session, TurnId turn, long now) {
        if (insert(transaction, session, turn, Status.RUNNING, null, now) == 0
                && !owner(transaction, turn).equals(session)) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    "The bridge started a turn with the id of a turn of another session");
        }
    }

    private static SessionId owner(Transaction transaction, TurnId turn) {
        return transaction
                .handle()
                .createQuery(TurnSql.OWNER)
                .bind("id", turn.value())
                .map(rows -> new SessionId(rows.getString("session_id")))
                .one();
    }

    private static int insert(
            Transaction transaction,
            SessionId session,
            TurnId turn,
            Status status,
            BridgeCommand.@Nullable Query query,
            long now) {
        return transaction
                .handle()
                .createUpdate(TurnSql.INSERT)
                .bind("id", turn.value())
                .bind("session", session.value())
                .bind("origin", query == null ? "engine" : "client")
                .bind("status", status.wire())
                .bind("query", query == null ? null : BridgeProtocol.encode(query).toBytes())
                .bind("now", now)
                .execute();
    }

    /** Marks a queued turn as running; its prompt is in the log from now on. */
    public void beginQueued(
            Transaction transaction, TurnId turn, BridgeCommand.Query query, long now) {
        transaction
                .handle()
                .createUpdate(TurnSql.BEGIN_QUEUED)
                .bind("id", turn.value())
                .bind("query", BridgeProtocol.encode(withoutPrompt(query)).toBytes())
                .bind("now", now)
                .execute();
    }

    /** Marks a deferred turn before it is sent to a bridge again. */
    public void markContinued(TurnId turn) {
        database.writer()
                .execute(
                        transaction -> change(transaction, turn, Status.CONTINUED, clock.millis()));
    }

    /** Marks turns as deferred, together with other statements. */
    public void defer(List<TurnId> turns, Writer.Statements with) {
        database.writer()
                .execute(
                        transaction -> {
                            with.run(transaction);
                            long now = clock.millis();
                            turns.forEach(turn -> change(transaction, turn, Status.DEFERRED, now));
                        });
    }

    /** Does nothing if the turn has already ended. */
    private static void change(Transaction transaction, TurnId turn, Status status, long now) {
        transaction
                .handle()
                .createUpdate(TurnSql.CHANGE)
                .bind("id", turn.value())
                .bind("status", status.wire())
                .bind("now", now)
                .execute();
    }

    public void markEnded(Transaction transaction, TurnId turn, Status status, long now) {
        transaction
                .handle()
                .createUpdate(TurnSql.END)
                .bind("empty", new byte[0])
                .bind("id", turn.value())
                .bind("status", status.wire())
                .bind("now", now)
                .execute();
    }

    /** Returns the open turns of a session, which have no {@code done}, in order. */
    public List<OpenTurn> open(SessionId session) {
        return database.read(handle -> open(handle, session));
    }

    public List<OpenTurn> open(Transaction transaction, SessionId session) {
        return open(transaction.handle(), session);
    }

    private static List<OpenTurn> open(Handle handle, SessionId session) {
        return handle.createQuery(TurnSql.OPEN)
                .bind("session", session.value())
                .map(rows -> open(rows))
                .list();
    }

    /** Adds the prompt from the log if it is only stored there. */
    private static BridgeCommand.Query withPrompt(
            Handle handle, BridgeCommand.Query query, String session, TurnId turn) {
        return query.prompt().equals(IN_LOG)
                ? withPrompt(query, loggedPrompt(handle, session, turn))
                : query;
    }

    private static RawJson loggedPrompt(Handle handle, String session, TurnId turn) {
        var data =
                handle.createQuery(TurnSql.LOGGED_PROMPT)
                        .bind("session", session)
                        .bind("turn", turn.value())
                        .map(rows -> new RawJson(rows.getBytes("data")))
                        .one();
        try {
            return JsonObject.parse(data).raw("content").orElseThrow();
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e); // written by this server
        }
    }

    /** Returns the sessions that have queued turns. */
    public List<SessionId> sessionsWithQueuedTurns() {
        return database.read(
                handle ->
                        handle.createQuery(TurnSql.SESSIONS_WITH_QUEUED)
                                .map(rows -> new SessionId(rows.getString("session_id")))
                                .list());
    }

    public boolean hasQueued(SessionId session) {
        return open(session).stream().anyMatch(turn -> turn.status() == Status.QUEUED);
    }

    /** Returns the running turn of a session; the latest if there are several. */
    public Optional<TurnId> running(Transaction transaction, SessionId session) {
        return transaction
                .handle()
                .createQuery(TurnSql.RUNNING)
                .bind("session", session.value())
                .mapTo(String.class)
                .findOne()
                .map(TurnId::new);
    }

    private static OpenTurn open(ResultSet rows) throws SQLException {
        return new OpenTurn(
                new TurnId(rows.getString("id")),
                Status.valueOf(rows.getString("status").toUpperCase(Locale.ROOT)),
                rows.getBoolean("has_query"));
    }

    private static BridgeCommand.Query query(byte[] stored) {
        try {
            return switch (BridgeProtocol.decodeCommand(new RawJson(stored))) {
                case BridgeCommand.Query query -> query;
                default ->
                        throw new IllegalStateException(
                                "stored query of a turn is not a query command");
            };
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e);
        }
    }
}
