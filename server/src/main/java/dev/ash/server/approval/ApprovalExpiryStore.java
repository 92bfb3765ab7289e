package dev.ash.server.approval;

import dev.ash.server.store.Database;
import java.util.List;
import java.util.OptionalLong;

/** Finds questions that have expired, and the next time of expiry. */
final class ApprovalExpiryStore {
    private static final String OVERDUE =
            """
            SELECT *
            FROM approvals
            WHERE status = 'pending'
              AND expires_at <= :now
            ORDER BY expires_at
            LIMIT 100
            """;

    private static final String NEXT_EXPIRY =
            """
            SELECT expires_at
            FROM approvals
            WHERE status = 'pending'
              AND expires_at IS NOT NULL
            ORDER BY expires_at
            LIMIT 1
            """;

    private final Database database;

    ApprovalExpiryStore(Database database) {
        this.database = database;
    }

    /** Returns a batch of expired questions. */
    List<ApprovalRow> overdue(long now) {
        return database.read(
                handle ->
                        handle.createQuery(OVERDUE)
                                .bind("now", now)
                                .map(rows -> ApprovalStore.row(rows))
                                .list());
    }

    OptionalLong nextExpiry() {
        return database.read(
                handle ->
                        handle.createQuery(NEXT_EXPIRY)
                                .mapTo(Long.class)
                                .findOne()
                                .map(OptionalLong::of)
                                .orElseGet(OptionalLong::empty));
    }
}
