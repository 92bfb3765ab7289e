package dev.ash.server.approval;

import dev.ash.server.store.Transaction;
import java.util.Optional;

/** Finds the row of a repeated call, and binds it to the bridge that asks now. */
final class RepeatedCallStore {
    /**
     * Prefers decided rows. Expired and cancelled rows do not apply to later calls: they match only
     * if the engine repeats the same use of the tool.
     */
    private static final String SAME_CALL =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND asker <> 'pair'
              AND spent_at IS NULL
              AND kind = :kind
              AND tool = :tool
              AND bridge_id <> :bridge
              AND input = :input
              AND (
                status IN ('pending', 'approved', 'modified', 'rejected')
                OR question = :question
                OR tool_use_id = :toolUse
              )
            ORDER BY status = 'pending', created_at, id
            LIMIT 1
            """;

    private static final String REBIND =
            """
            UPDATE approvals
            SET asker = :asker,
                bridge_id = :bridge,
                n = :n,
                question = :question,
                turn_id = :turn,
                tool_use_id = :toolUse
            WHERE id = :id
            """;

    /**
     * Returns an earlier row of the same call from another bridge, whose decision is not delivered.
     */
    Optional<ApprovalRow> find(Transaction transaction, ApprovalRow asked) {
        return transaction
                .handle()
                .createQuery(SAME_CALL)
                .bind("bridge", asked.position().bridgeId())
                .bind("session", asked.session().value())
                .bind("kind", asked.kind().wire())
                .bind("tool", asked.tool())
                .bind("input", asked.input().toBytes())
                .bind("question", asked.question().id())
                .bind("toolUse", asked.call().toolUseId())
                .map(rows -> ApprovalStore.row(rows))
                .findOne();
    }

    /** Binds the row to the bridge of {@code asked}. */
    void rebind(Transaction transaction, ApprovalId id, ApprovalRow asked) {
        transaction
                .handle()
                .createUpdate(REBIND)
                .bind("id", id.value())
                .bind("asker", asked.question().asker().column())
                .bind("bridge", asked.position().bridgeId())
                .bind("n", asked.position().n())
                .bind("question", asked.question().id())
                .bind("turn", ApprovalStore.value(asked.turn()))
                .bind("toolUse", asked.call().toolUseId())
                .execute();
    }
}
