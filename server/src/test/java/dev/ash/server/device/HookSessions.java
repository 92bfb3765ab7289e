package dev.ash.server.device;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;

/** Inserts minimal rows of terminal sessions, for tests that need an existing session. */
final class HookSessions {
    private HookSessions() {}

    static void insert(Database database, SessionId session) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(
                                                "INSERT INTO hook_sessions (id, tenant_id, directory,"
                                                        + " title, status, created_at, seen_at)"
                                                        + " VALUES (:id, :tenant, '', '',"
                                                        + " 'active', 0, 0)")
                                        .bind("id", session.value())
                                        .bind("tenant", TenantId.DEFAULT.value())
                                        .execute());
    }
}
