package dev.ash.server.hooks;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Stores terminal sessions. */
final class HookSessionStore {
    private static final String PUT =
            """
            INSERT INTO hook_sessions (id, tenant_id, directory, title, status, created_at, seen_at)
            VALUES (:id, :tenant, :directory, :title, :status, :created, :seen)
            ON CONFLICT (id) DO UPDATE SET
              directory = excluded.directory,
              title = excluded.title,
              status = excluded.status,
              seen_at = excluded.seen_at
            """;

    private static final String FIND =
            """
            SELECT *
            FROM hook_sessions
            WHERE id = :id
            """;

    private static final String LIST =
            """
            SELECT *
            FROM hook_sessions
            WHERE tenant_id = :tenant
            ORDER BY seen_at DESC, id
            LIMIT :limit
            """;

    private static final String SILENT =
            """
            SELECT id
            FROM hook_sessions
            WHERE status = 'active'
              AND seen_at < :since
            ORDER BY seen_at
            LIMIT :limit
            """;

    private static final String OWNER =
            """
            SELECT tenant_id
            FROM sessions
            WHERE id = :id
            UNION
            SELECT tenant_id
            FROM purges
            WHERE session_id = :id
            """;

    private static final String WITH_STALE_QUESTIONS =
            """
            SELECT DISTINCT session_id
            FROM approvals
            WHERE spent_at IS NULL
              AND asker = 'hooks'
              AND status NOT IN ('cancelled', 'expired')
            """;

    private final Database database;

    HookSessionStore(Database database) {
        this.database = database;
    }

    void put(Transaction transaction, HookSession session) {
        transaction
                .handle()
                .createUpdate(PUT)
                .bind("id", session.id().value())
                .bind("tenant", session.tenant().value())
                .bind("directory", session.directory())
                .bind("title", session.title())
                .bind("status", session.isActive() ? "active" : "ended")
                .bind("created", session.createdAt())
                .bind("seen", session.seenAt())
                .execute();
    }

    Optional<HookSession> find(Transaction transaction, SessionId id) {
        return find(transaction.handle(), id);
    }

    Optional<HookSession> find(SessionId id) {
        return database.read(handle -> find(handle, id));
    }

    private static Optional<HookSession> find(Handle handle, SessionId id) {
        return handle.createQuery(FIND).bind("id", id.value()).map(rows -> row(rows)).findOne();
    }

    /** Lists sessions, most recently seen first. */
    List<HookSession> list(TenantId tenant, int limit) {
        return database.read(
                handle ->
                        handle.createQuery(LIST)
                                .bind("tenant", tenant.value())
                                .bind("limit", limit)
                                .map(rows -> row(rows))
                                .list());
    }

    /** Returns active sessions without an event since this time, longest silent first. */
    List<SessionId> silent(long since, int limit) {
        return database.read(
                handle ->
                        handle.createQuery(SILENT)
                                .bind("since", since)
                                .bind("limit", limit)
                                .map(rows -> new SessionId(rows.getString("id")))
                                .list());
    }

    /** Returns the tenant of the managed session, current or purged, that has this id. */
    Optional<TenantId> owner(SessionId id) {
        return database.read(
                handle ->
                        handle.createQuery(OWNER)
                                .bind("id", id.value())
                                .map(rows -> new TenantId(rows.getString("tenant_id")))
                                .findOne());
    }

    /** Returns sessions with undelivered questions of an earlier server. */
    List<SessionId> withStaleQuestions() {
        return database.read(
                handle ->
                        handle.createQuery(WITH_STALE_QUESTIONS)
                                .map(rows -> new SessionId(rows.getString("session_id")))
                                .list());
    }

    private static HookSession row(ResultSet rows) throws SQLException {
        return new HookSession(
                new SessionId(rows.getString("id")),
                new TenantId(rows.getString("tenant_id")),
                rows.getString("directory"),
                rows.getString("title"),
                rows.getString("status").equals("active"),
                rows.getLong("created_at"),
                rows.getLong("seen_at"));
    }
}
