package dev.ash.server.approval;

import dev.ash.server.store.Transaction;
import java.util.Optional;

/** Finds the row of a call that an engine repeats, and gives it to the bridge that asks now. */
final class RepeatedCallStore {
    /**
     * Decided rows come first. That a call expired or was cancelled says nothing about a later one:
     * it counts only where the engine repeats the same use of the tool.
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
     * An earlier row for the same call, asked by a bridge that is gone, whose answer nobody had.
     */
    Optional<ApprovalRow> find(Transaction transaction, ApprovalRow asked) {
        return transaction
                .handle()
                .createQuery(SAME_CALL)
                .bind("bridge", asked.place().bridgeId())
                .bind("session", asked.session().value())
                .bind("kind", asked.kind().wire())
                .bind("tool", asked.tool())
                .bind("input", asked.input().toBytes())
                .bind("question", asked.question().id())
                .bind("toolUse", asked.call().toolUseId())
                .map((rows, _) -> ApprovalStore.row(rows))
                .findOne();
    }

    /** Makes the bridge of {@code asked} the one that asks. */
    void rebind(Transaction transaction, ApprovalId id, ApprovalRow asked) {
        transaction
                .handle()
                .createUpdate(REBIND)
                .bind("id", id.value())
                .bind("asker", asked.question().asker().column())
                .bind("bridge", asked.place().bridgeId())
                .bind("n", asked.place().n())
                .bind("question", asked.question().id())
                .bind("turn", ApprovalStore.value(asked.turn()))
                .bind("toolUse", asked.call().toolUseId())
                .execute();
    }
}
