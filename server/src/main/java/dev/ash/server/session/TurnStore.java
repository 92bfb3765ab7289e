package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.List;

/** The rows of turns. */
public final class TurnStore {
    private final Database database;

    public TurnStore(Database database) {
        this.database = database;
    }

    enum Origin {
        CLIENT,
        ENGINE
    }

    void started(Transaction transaction, SessionId session, TurnId turn, Origin origin, long now) {
        transaction
                .handle()
                .createUpdate(
                        "INSERT INTO turns (id, session_id, origin, status, started_at) VALUES (:id,"
                                + " :session, :origin, 'running', :now)")
                .bind("id", turn.value())
                .bind("session", session.value())
                .bind("origin", origin == Origin.CLIENT ? "client" : "engine")
                .bind("now", now)
                .execute();
    }

    void ended(Transaction transaction, TurnId turn, String status, long now) {
        transaction
                .handle()
                .createUpdate("UPDATE turns SET status = :status, ended_at = :now WHERE id = :id")
                .bind("id", turn.value())
                .bind("status", status)
                .bind("now", now)
                .execute();
    }

    List<TurnId> running(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT id FROM turns WHERE session_id = :session AND status ="
                                                + " 'running' ORDER BY started_at")
                                .bind("session", session.value())
                                .map((rows, _) -> new TurnId(rows.getString("id")))
                                .list());
    }
}
