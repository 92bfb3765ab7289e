package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.List;

/** Tracks the delivery of decisions to their askers, and finds undelivered decisions. */
final class ApprovalDeliveryStore {
    private static final String SPEND =
            """
            UPDATE approvals
            SET spent_at = :now
            WHERE id = :id
              AND bridge_id = :bridge
              AND spent_at IS NULL
              AND status <> 'pending'
            """;

    private static final String DEFER =
            """
            UPDATE approvals
            SET bridge_id = 'laid-aside:' || id,
                spent_at = NULL
            WHERE id = :id
            """;

    private static final String DECIDED_AT_BRIDGE =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND bridge_id = :bridge
              AND status <> 'pending'
            ORDER BY n
            """;

    private static final String UNREPORTED =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND asker <> 'pair'
              AND spent_at IS NULL
              AND told_at IS NULL
              AND bridge_id <> :live
              AND status IN ('approved', 'modified', 'rejected', 'expired')
              AND NOT EXISTS (
                SELECT 1
                FROM turns AS t
                WHERE t.id = approvals.turn_id
                  AND t.status = 'deferred'
              )
            ORDER BY decided_at, id
            LIMIT :limit
            """;

    private static final String MARK_REPORTED =
            """
            UPDATE approvals
            SET told_at = :now
            WHERE id = :id
            """;

    /**
     * Sessions whose deferred turn can continue. A row that is deferred and spent was cancelled by
     * a server that was killed before it could wake the session.
     */
    private static final String SESSIONS_TO_WAKE =
            """
            SELECT DISTINCT a.session_id
            FROM approvals AS a
            JOIN turns AS t ON t.id = a.turn_id
            WHERE t.status = 'deferred'
              AND a.status <> 'pending'
              AND (a.spent_at IS NULL OR a.bridge_id = 'laid-aside:' || a.id)
            """;

    private static final String MUST_WAKE =
            """
            SELECT 1
            FROM approvals AS a
            JOIN turns AS t ON t.id = a.turn_id
            WHERE t.status = 'deferred'
              AND a.status <> 'pending'
              AND (a.spent_at IS NULL OR a.bridge_id = 'laid-aside:' || a.id)
              AND a.id = :id
            """;

    private final Database database;

    ApprovalDeliveryStore(Database database) {
        this.database = database;
    }

    /**
     * Marks the decision as spent for this bridge; returns false if another bridge asks now, or the
     * decision is spent already.
     */
    boolean spend(Transaction transaction, ApprovalId id, String bridge, long now) {
        return transaction
                        .handle()
                        .createUpdate(SPEND)
                        .bind("id", id.value())
                        .bind("bridge", bridge)
                        .bind("now", now)
                        .execute()
                > 0;
    }

    boolean spendNow(ApprovalId id, String bridge, long now) {
        return database.writer().write(transaction -> spend(transaction, id, bridge, now));
    }

    /** Detaches the question from its bridge until an engine repeats the call. */
    void defer(Transaction transaction, ApprovalId id) {
        transaction.handle().createUpdate(DEFER).bind("id", id.value()).execute();
    }

    /** Returns all decisions on questions of this bridge, in order. */
    List<ApprovalRow> decidedAt(SessionId session, String bridge) {
        return database.read(
                handle ->
                        handle.createQuery(DECIDED_AT_BRIDGE)
                                .bind("session", session.value())
                                .bind("bridge", bridge)
                                .map(rows -> ApprovalStore.row(rows))
                                .list());
    }

    /**
     * Returns decisions that no engine has received and whose call will not be repeated by a
     * deferred turn.
     */
    List<ApprovalRow> unreported(SessionId session, String liveBridge, int limit) {
        return database.read(
                handle ->
                        handle.createQuery(UNREPORTED)
                                .bind("session", session.value())
                                .bind("live", liveBridge)
                                .bind("limit", limit)
                                .map(rows -> ApprovalStore.row(rows))
                                .list());
    }

    /** Marks decisions as reported to an engine in a prompt. */
    void markReported(Transaction transaction, List<String> ids, long now) {
        for (var id : ids) {
            transaction
                    .handle()
                    .createUpdate(MARK_REPORTED)
                    .bind("id", id)
                    .bind("now", now)
                    .execute();
        }
    }

    /** Whether the session of this question must be woken for the decision. */
    boolean mustWake(ApprovalId id) {
        return database.read(
                handle ->
                        handle.createQuery(MUST_WAKE)
                                .bind("id", id.value())
                                .mapTo(Integer.class)
                                .findOne()
                                .isPresent());
    }

    List<SessionId> sessionsToWake() {
        return database.read(
                handle ->
                        handle.createQuery(SESSIONS_TO_WAKE)
                                .map(rows -> new SessionId(rows.getString("session_id")))
                                .list());
    }
}
