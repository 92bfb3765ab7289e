package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows of turns, with the command that each was given to its bridge by. */
public final class TurnStore {
    private static final String INSERT =
            "INSERT INTO turns (id, session_id, origin, status, started_at, query, place) VALUES"
                    + " (:id, :session, :origin, :status, :now, :query, (SELECT coalesce(max(place),"
                    + " 0) + 1 FROM turns WHERE session_id = :session)) ON CONFLICT (id) DO NOTHING";

    private final Database database;

    public TurnStore(Database database) {
        this.database = database;
    }

    /**
     * Waiting for its place, given to the bridge, without an engine while its question waits, given
     * to a bridge again after that, and over in one of two ways.
     */
    enum Status {
        QUEUED,
        RUNNING,
        DEFERRED,
        CONTINUED,
        DONE,
        ERROR;

        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether only {@code continue} takes it up. */
        boolean isLaidAside() {
            return this == DEFERRED || this == CONTINUED;
        }
    }

    /** Stands for a prompt that the log has; no prompt is empty. */
    private static final RawJson IN_LOG = RawJson.string("");

    /** The command as it is stored once the log has its prompt. */
    static BridgeCommand.Query withoutPrompt(BridgeCommand.Query query) {
        return withPrompt(query, IN_LOG);
    }

    private static BridgeCommand.Query withPrompt(BridgeCommand.Query query, RawJson prompt) {
        return new BridgeCommand.Query(prompt, query.sessionId(), query.turnId(), query.options());
    }

    /** A turn without a {@code done}; the engine's own have no query. */
    record Open(TurnId id, Status status, boolean hasQuery) {}

    /**
     * The command that the turn was or will be given to its bridge by; empty for the engine's, and
     * for a turn that has ended meanwhile.
     */
    Optional<BridgeCommand.Query> query(TurnId turn) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT query, session_id FROM turns WHERE id = :id AND"
                                                + " query IS NOT NULL AND status NOT IN ('done',"
                                                + " 'error')")
                                .bind("id", turn.value())
                                .map(
                                        (rows, _) ->
                                                withPrompt(
                                                        handle,
                                                        query(rows.getBytes("query")),
                                                        rows.getString("session_id"),
                                                        turn))
                                .findOne());
    }

    /** The bytes of that command. */
    long queryBytes(TurnId turn) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT coalesce(length(query), 0) FROM turns WHERE id ="
                                                + " :id")
                                .bind("id", turn.value())
                                .mapTo(Long.class)
                                .findOne()
                                .orElse(0L));
    }

    void opened(
            Transaction transaction,
            SessionId session,
            TurnId turn,
            Status status,
            BridgeCommand.@Nullable Query query,
            long now) {
        transaction
                .handle()
                .createUpdate(INSERT)
                .bind("id", turn.value())
                .bind("session", session.value())
                .bind("origin", query == null ? "engine" : "client")
                .bind("status", status.wire())
                .bind("query", query == null ? null : BridgeProtocol.encode(query).toBytes())
                .bind("now", now)
                .execute();
    }

    /** A prompt that waited is in the log from now on. */
    void begun(Transaction transaction, TurnId turn, BridgeCommand.Query query, long now) {
        transaction
                .handle()
                .createUpdate(
                        "UPDATE turns SET status = 'running', started_at = :now, query = :query WHERE"
                                + " id = :id AND status NOT IN ('done', 'error')")
                .bind("id", turn.value())
                .bind("query", BridgeProtocol.encode(withoutPrompt(query)).toBytes())
                .bind("now", now)
                .execute();
    }

    /** Does nothing if the turn is over already: its bridge may have been quicker. */
    void changed(Transaction transaction, TurnId turn, Status status, long now) {
        transaction
                .handle()
                .createUpdate(
                        "UPDATE turns SET status = :status, started_at = :now WHERE id = :id AND"
                                + " status NOT IN ('done', 'error')")
                .bind("id", turn.value())
                .bind("status", status.wire())
                .bind("now", now)
                .execute();
    }

    /** Nobody needs its command any more, which older rows have with the prompt. */
    void ended(Transaction transaction, TurnId turn, Status status, long now) {
        transaction
                .handle()
                .createUpdate(
                        "UPDATE turns SET status = :status, ended_at = :now, query = CASE WHEN query IS"
                                + " NULL THEN NULL ELSE zeroblob(0) END WHERE id = :id")
                .bind("id", turn.value())
                .bind("status", status.wire())
                .bind("now", now)
                .execute();
    }

    /** The turns of a session that have no {@code done}, in their order. */
    List<Open> open(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT id, status, query IS NOT NULL AS has_query FROM"
                                                + " turns WHERE session_id ="
                                                + " :session AND status IN ('queued', 'running',"
                                                + " 'deferred', 'continued') ORDER BY place")
                                .bind("session", session.value())
                                .map((rows, _) -> open(rows))
                                .list());
    }

    /** The prompt of a turn that was begun may be in the log alone. */
    private static BridgeCommand.Query withPrompt(
            Handle handle, BridgeCommand.Query query, String session, TurnId turn) {
        return query.prompt().equals(IN_LOG)
                ? withPrompt(query, logged(handle, session, turn))
                : query;
    }

    private static RawJson logged(Handle handle, String session, TurnId turn) {
        var data =
                handle.createQuery(
                                "SELECT data FROM events WHERE session_id = :session AND"
                                        + " turn_id = :turn AND type = 'prompt' ORDER BY"
                                        + " seq DESC LIMIT 1")
                        .bind("session", session)
                        .bind("turn", turn.value())
                        .map((rows, _) -> new RawJson(rows.getBytes("data")))
                        .one();
        try {
            return JsonObject.parse(data).raw("content").orElseThrow();
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e); // we wrote it
        }
    }

    /** Sessions with a prompt that waits for its turn. */
    List<SessionId> withQueued() {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT DISTINCT session_id FROM turns WHERE status ="
                                                + " 'queued'")
                                .map((rows, _) -> new SessionId(rows.getString("session_id")))
                                .list());
    }

    boolean hasQueued(SessionId session) {
        return open(session).stream().anyMatch(turn -> turn.status() == Status.QUEUED);
    }

    /** The running turn of a session; the latest if the engine has started one of its own. */
    Optional<TurnId> running(Transaction transaction, SessionId session) {
        return transaction
                .handle()
                .createQuery(
                        "SELECT id FROM turns WHERE session_id = :session AND status IN ('running',"
                                + " 'continued') ORDER BY place DESC LIMIT 1")
                .bind("session", session.value())
                .mapTo(String.class)
                .findOne()
                .map(TurnId::new);
    }

    private static Open open(ResultSet rows) throws SQLException {
        return new Open(
                new TurnId(rows.getString("id")),
                Status.valueOf(rows.getString("status").toUpperCase(Locale.ROOT)),
                rows.getBoolean("has_query"));
    }

    private static BridgeCommand.Query query(byte[] stored) {
        try {
            return switch (BridgeProtocol.decodeCommand(new RawJson(stored))) {
                case BridgeCommand.Query query -> query;
                default -> throw new IllegalStateException("not the command of a turn");
            };
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e);
        }
    }
}
