package dev.ash.server.session.store;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import dev.ash.server.store.Writer;
import java.time.Clock;

/**
 * Changes the stored status of sessions, and is the only class that does. Each change is a
 * compare-and-set on the statuses that it expects.
 */
public final class SessionStatusStore {
    private static final String CHANGE =
            """
            UPDATE sessions
            SET status = :status,
                paused_by = :pausedBy,
                error = :error,
                last_active_at = :now,
                ended_at = CASE WHEN :status = 'ended' THEN :now ELSE ended_at END
            WHERE id = :id
              AND status IN (<expected>)
            """;

    private final Database database;
    private final Clock clock;

    public SessionStatusStore(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Returns false, and changes nothing, if the session has none of the expected statuses. */
    public boolean change(Transaction transaction, SessionId id, StatusChange change, long now) {
        return transaction
                        .handle()
                        .createUpdate(CHANGE)
                        .bind("id", id.value())
                        .bind("status", change.to().wire())
                        .bind(
                                "pausedBy",
                                change.pausedBy() == null ? null : change.pausedBy().wire())
                        .bind("error", change.error())
                        .bind("now", now)
                        .bindList(
                                "expected",
                                change.from().stream().map(SessionStatus::wire).sorted().toList())
                        .execute()
                > 0;
    }

    /** The same in a transaction of its own. */
    public boolean change(SessionId id, StatusChange change) {
        return change(id, change, _ -> {});
    }

    /** The same, after other statements. */
    public boolean change(SessionId id, StatusChange change, Writer.Statements with) {
        return database.writer()
                .write(
                        transaction -> {
                            with.run(transaction);
                            return change(transaction, id, change, clock.millis());
                        });
    }
}
