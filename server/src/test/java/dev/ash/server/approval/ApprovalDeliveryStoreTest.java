package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TurnId;
import dev.ash.server.store.StoreContract;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(ApprovalDeliveryStore.class)
class ApprovalDeliveryStoreTest extends StoreContract {
    private static final Decision APPROVED =
            new Decision(ApprovalStatus.APPROVED, null, null, Decision.ONCE);

    private final ApprovalRows rows = new ApprovalRows();
    private ApprovalStore approvals;
    private ApprovalDeliveryStore store;

    @BeforeEach
    void create() {
        approvals = new ApprovalStore(database);
        store = approvals.deliveries();
    }

    private ApprovalRow insert(ApprovalRow row) {
        write(transaction -> approvals.insert(transaction, row));
        return row;
    }

    private ApprovalRow decided(ApprovalRow row, Decision decision, long at) {
        insert(row);
        write(transaction -> approvals.decide(transaction, row.id(), decision, "api", at));
        return approvals.find(TENANT, row.id()).orElseThrow();
    }

    private void defer(ApprovalRow row) {
        write(transaction -> store.defer(transaction, row.id()));
    }

    private ApprovalRow inTurn(@Nullable TurnId turn) {
        return rows.row(AskerKind.ENGINE, turn, 1);
    }

    @Test
    void spendsDecisionOnceForItsBridge() {
        var row = insert(rows.row("bridge", 1));
        assertThat(store.spendNow(row.id(), "bridge", 1)).as("pending").isFalse();
        write(transaction -> approvals.decide(transaction, row.id(), APPROVED, "api", 1));

        assertThat(store.spendNow(row.id(), "other", 2)).isFalse();
        assertThat(store.spendNow(row.id(), "bridge", LATE)).isTrue();
        assertThat(store.spendNow(row.id(), "bridge", 3)).isFalse();
        assertThat(row("approvals")).containsEntry("spent_at", LATE);
    }

    @Test
    void spendsDecisionForOneOfConcurrentCalls() {
        var row = decided(rows.row("bridge", 1), APPROVED, 1);

        var results = concurrently(10, i -> () -> store.spendNow(row.id(), "bridge", i + 1));

        assertThat(results.stream().filter(isSpent -> isSpent)).hasSize(1);
    }

    @Test
    void rollbackLeavesDecisionUnspent() {
        var row = decided(rows.row("bridge", 1), APPROVED, 1);

        rollBack(transaction -> store.spend(transaction, row.id(), "bridge", 1));

        assertThat(row("approvals")).containsEntry("spent_at", null);
    }

    @Test
    void deferringMakesDecisionAvailableAgain() {
        var row = decided(rows.row("bridge", 1), APPROVED, 1);
        store.spendNow(row.id(), "bridge", 2);

        defer(row);

        assertThat(row("approvals"))
                .containsEntry("spent_at", null)
                .containsEntry("bridge_id", "laid-aside:" + row.id())
                .containsEntry("asker", "engine");
    }

    @Test
    void findsDecisionsOfBridgeInOrder() {
        var second = decided(rows.row("bridge", 2), APPROVED, 1);
        var first = decided(rows.row("bridge", 1), Decision.CANCELLED, 2);
        insert(rows.row("bridge", 3));
        decided(rows.row("other", 4), APPROVED, 1);
        store.spendNow(second.id(), "bridge", 3);

        assertThat(store.decidedAt(rows.session, "bridge")).containsExactly(first, second);
    }

    @Test
    void findsUnreportedDecisions() {
        var deferred = TurnId.random();
        var done = TurnId.random();
        insertTurn(rows.session, deferred, "deferred");
        insertTurn(rows.session, done, "done");
        var late = decided(inTurn(done), APPROVED, 5);
        var early = decided(inTurn(null), Decision.EXPIRED, 4);
        var reported = decided(inTurn(done), APPROVED, 1);
        decided(inTurn(deferred), APPROVED, 1);
        decided(inTurn(done), Decision.CANCELLED, 1);
        decided(rows.row(AskerKind.PAIR, done, 1), APPROVED, 1);
        decided(rows.row("live", 1), APPROVED, 1);
        var spent = decided(rows.row("spent", 1), APPROVED, 1);
        store.spendNow(spent.id(), "spent", 1);
        insert(inTurn(done));
        write(transaction -> store.markReported(transaction, List.of(reported.id().value()), LATE));

        assertThat(store.unreported(rows.session, "live", 10)).containsExactly(early, late);
        assertThat(store.unreported(rows.session, "live", 1)).containsExactly(early);
    }

    @Test
    void findsSessionsWhoseDeferredTurnCanContinue() {
        var turn = TurnId.random();
        insertTurn(rows.session, turn, "deferred");
        var row = insert(inTurn(turn));
        assertThat(store.sessionsToWake()).isEmpty();
        assertThat(store.mustWake(row.id())).isFalse();

        write(transaction -> approvals.decide(transaction, row.id(), APPROVED, "api", 1));
        assertThat(store.sessionsToWake()).containsExactly(rows.session);
        assertThat(store.mustWake(row.id())).isTrue();

        store.spendNow(row.id(), row.position().bridgeId(), 1);
        assertThat(store.sessionsToWake()).isEmpty();
        defer(row);
        store.spendNow(row.id(), "laid-aside:" + row.id(), 2);
        assertThat(store.sessionsToWake())
                .as("cancelled by a server that was killed before it could wake the session")
                .containsExactly(rows.session);

        update("UPDATE turns SET status = 'continued'");
        assertThat(store.sessionsToWake()).isEmpty();
        assertThat(store.mustWake(row.id())).isFalse();
    }
}
