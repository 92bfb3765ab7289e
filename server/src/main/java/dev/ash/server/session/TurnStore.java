package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

    /** A turn without a {@code done}; the engine's own have no query. */
    record Open(TurnId id, Status status, boolean hasQuery) {}

    /** The command that the turn was or will be given to its bridge by; empty for the engine's. */
    Optional<BridgeCommand.Query> query(TurnId turn) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT query FROM turns WHERE id = :id AND query IS NOT"
                                                + " NULL")
                                .bind("id", turn.value())
                                .map((rows, _) -> query(rows.getBytes("query")))
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

    void ended(Transaction transaction, TurnId turn, Status status, long now) {
        transaction
                .handle()
                .createUpdate("UPDATE turns SET status = :status, ended_at = :now WHERE id = :id")
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
