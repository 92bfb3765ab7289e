package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.Transaction;

/** Stores the tools that are approved for the rest of a session. */
final class ApprovalRuleStore {
    private static final String FIND =
            """
            SELECT 1
            FROM approval_rules
            WHERE session_id = :session
              AND tool = :tool
            """;

    private static final String INSERT =
            """
            INSERT INTO approval_rules (session_id, tool, created_at)
            VALUES (:session, :tool, :now)
            ON CONFLICT (session_id, tool) DO NOTHING
            """;

    boolean allows(Transaction transaction, SessionId session, String tool) {
        return transaction
                .handle()
                .createQuery(FIND)
                .bind("session", session.value())
                .bind("tool", tool)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    }

    void allow(Transaction transaction, SessionId session, String tool, long now) {
        transaction
                .handle()
                .createUpdate(INSERT)
                .bind("session", session.value())
                .bind("tool", tool)
                .bind("now", now)
                .execute();
    }
}
