package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.store.StoreContract;
import dev.ash.server.store.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the stores of questions, decisions, rules and repeated calls. */
@StoreContract.Covers({
    ApprovalStore.class,
    ApprovalExpiryStore.class,
    ApprovalRuleStore.class,
    RepeatedCallStore.class
})
class ApprovalStoreTest extends StoreContract {
    private static final Decision MODIFIED =
            new Decision(
                    ApprovalStatus.MODIFIED, RawJson.of("{\"text\":\"🦊\"}"), TEXT, Decision.ONCE);

    private final ApprovalRows rows = new ApprovalRows();
    private ApprovalStore store;

    @BeforeEach
    void create() {
        store = new ApprovalStore(database);
    }

    private ApprovalRow insert(ApprovalRow row) {
        write(transaction -> store.insert(transaction, row));
        return row;
    }

    private ApprovalRow decide(ApprovalRow row, Decision decision, long now) {
        write(
                transaction ->
                        assertThat(store.decide(transaction, row.id(), decision, "api", now))
                                .isTrue());
        return find(row);
    }

    private ApprovalRow find(ApprovalRow row) {
        return store.find(row.tenant(), row.id()).orElseThrow();
    }

    private boolean decides(ApprovalId id, Decision decision, String by, long now) {
        return database.writer()
                .write(transaction -> store.decide(transaction, id, decision, by, now));
    }

    private List<ApprovalRow> list(Function<Transaction, List<ApprovalRow>> query) {
        return database.writer().write(query::apply);
    }

    private boolean allows(SessionId session, String tool) {
        return database.writer()
                .write(transaction -> store.rules().allows(transaction, session, tool));
    }

    private Optional<ApprovalRow> repeated(ApprovalRow asked) {
        return database.writer()
                .write(transaction -> store.repeatedCalls().find(transaction, asked));
    }

    @Test
    void storesAndFindsApprovals() {
        for (var asker : AskerKind.values()) {
            var full =
                    new ApprovalRow(
                            ApprovalId.random(),
                            new ApprovalRow.Owner(TENANT, rows.session, TurnId.random()),
                            new ApprovalRow.Call(
                                    Kind.PLAN,
                                    TEXT,
                                    TEXT,
                                    TEXT,
                                    RawJson.of("{\"text\":\"🦊\"}"),
                                    "high"),
                            new ApprovalRow.Question(
                                    asker, new BridgePosition(asker.id(TEXT), LATE), TEXT),
                            null,
                            LATE,
                            LATE + 1);
            assertThat(find(insert(full))).isEqualTo(full);
        }
        var bare =
                new ApprovalRow(
                        ApprovalId.random(),
                        new ApprovalRow.Owner(TENANT, rows.session, null),
                        new ApprovalRow.Call(
                                Kind.TOOL, "Bash", null, null, RawJson.EMPTY_OBJECT, null),
                        new ApprovalRow.Question(
                                AskerKind.ENGINE, new BridgePosition("bridge", 0), "q"),
                        null,
                        0,
                        null);
        assertThat(find(insert(bare))).isEqualTo(bare);
        assertThat(store.find(OTHER_TENANT, bare.id())).isEmpty();
        assertThat(list(transaction -> List.of(store.require(transaction, bare.id()))))
                .containsExactly(bare);
    }

    @Test
    void storesFirstDecisionOnly() {
        var row = insert(rows.row());

        var decided = decide(row, MODIFIED, LATE);

        assertThat(decided.resolution())
                .isEqualTo(new ApprovalRow.Resolution(MODIFIED, "api", LATE));
        assertThat(decides(row.id(), Decision.CANCELLED, "session", 1)).isFalse();
        assertThat(find(row)).isEqualTo(decided);
    }

    @Test
    void acceptsOneOfConcurrentDecisions() {
        var row = insert(rows.row());

        var first = concurrently(10, i -> () -> decides(row.id(), MODIFIED, "by " + i, i));

        assertThat(first.stream().filter(isFirst -> isFirst)).hasSize(1);
        assertThat(find(row).decidedBy()).isEqualTo("by " + first.indexOf(true));
    }

    @Test
    void rollbackStoresNothing() {
        var row = insert(rows.row());

        rollBack(
                transaction -> {
                    store.insert(transaction, rows.row());
                    store.decide(transaction, row.id(), MODIFIED, "api", 1);
                    store.rules().allow(transaction, rows.session, "Bash", 1);
                });

        assertThat(find(row)).isEqualTo(row);
        assertThat(count("approvals")).isEqualTo(1);
        assertThat(count("approval_rules")).isZero();
    }

    @Test
    void storesOneRowPerPosition() {
        var row = insert(rows.row());
        assertThat(store.find(rows.session, row.position())).contains(row);
        assertThat(
                        list(
                                transaction ->
                                        store
                                                .find(transaction, rows.session, row.position())
                                                .stream()
                                                .toList()))
                .containsExactly(row);
        assertThat(store.find(SessionId.random(), row.position())).isEmpty();
        assertThat(store.find(rows.session, new BridgePosition("other", 1))).isEmpty();

        assertThatThrownBy(() -> insert(rows.row(row.position().bridgeId(), row.position().n())))
                .isInstanceOf(ApiException.class);

        assertThat(count("approvals")).isEqualTo(1);
    }

    @Test
    void hidesApprovalsOfSessionsBeingPurged() {
        var row = insert(rows.row());
        insertPurge(TENANT, rows.session);

        assertThat(store.find(TENANT, row.id())).isEmpty();
    }

    @Test
    void findsQuestionsOfBridgeLatestFirst() {
        var first = insert(rows.row("bridge", 1));
        var second = insert(rows.row("bridge", 2));
        insert(rows.row("other", 3));

        assertThat(
                        list(
                                transaction ->
                                        store.findByQuestion(
                                                transaction,
                                                rows.session,
                                                "bridge",
                                                first.question().id())))
                .containsExactly(second, first);
        assertThat(
                        list(
                                transaction ->
                                        store.findByQuestion(
                                                transaction, rows.session, "bridge", "unknown")))
                .isEmpty();
    }

    @Test
    void findsUnspentRowsOfSessionAndTurnInOrder() {
        var turn = TurnId.random();
        var late = insert(rows.row(AskerKind.ENGINE, turn, 2));
        var early = insert(rows.row(AskerKind.HOOKS, null, 1));
        insert(rows.row(AskerKind.PAIR, turn, 1));
        var spent = insert(rows.row(AskerKind.ENGINE, turn, 1));
        decide(spent, MODIFIED, 1);
        write(
                transaction ->
                        store.deliveries()
                                .spend(transaction, spent.id(), spent.position().bridgeId(), 2));

        assertThat(list(transaction -> store.unspent(transaction, rows.session)))
                .containsExactly(early, late);
        assertThat(list(transaction -> store.unspent(transaction, rows.session, turn)))
                .containsExactly(late);
        assertThat(store.countPending(rows.session)).isEqualTo(2);
        decide(late, Decision.CANCELLED, 3);
        assertThat(store.countPending(rows.session)).isEqualTo(1);
    }

    @Test
    void findsOverdueQuestionsInOrder() {
        var expiry = store.expiry();
        assertThat(expiry.nextExpiry()).isEmpty();
        insert(rows.expiring(null));
        assertThat(expiry.nextExpiry()).isEmpty();
        var late = insert(rows.expiring(LATE));
        var early = insert(rows.expiring(5L));
        var decided = insert(rows.expiring(1L));
        decide(decided, MODIFIED, 1);

        assertThat(expiry.nextExpiry()).hasValue(5);
        assertThat(expiry.overdue(4)).isEmpty();
        assertThat(expiry.overdue(5)).containsExactly(early);
        assertThat(expiry.overdue(LATE)).containsExactly(early, late);
    }

    @Test
    void storesRulesForSession() {
        var rules = store.rules();
        write(transaction -> rules.allow(transaction, rows.session, TEXT, 1));
        write(transaction -> rules.allow(transaction, rows.session, TEXT, 2));

        assertThat(row("approval_rules").values())
                .extracting(String::valueOf)
                .containsExactlyInAnyOrder(rows.session.value(), TEXT, "1");
        assertThat(allows(rows.session, TEXT)).isTrue();
        assertThat(allows(rows.session, "Bash")).isFalse();
        assertThat(allows(SessionId.random(), TEXT)).isFalse();
    }

    @Test
    void rebindsRowOfRepeatedCallToCurrentBridge() {
        var earlier = insert(rows.row("first", 1));
        var asked = rows.row("second", LATE);
        assertThat(repeated(asked)).contains(earlier);

        write(transaction -> store.repeatedCalls().rebind(transaction, earlier.id(), asked));

        var found = find(earlier);
        assertThat(found.question()).isEqualTo(asked.question());
        assertThat(found.turn()).isEqualTo(asked.turn());
        assertThat(repeated(asked)).as("its own row").isEmpty();
    }

    @Test
    void doesNotMatchOtherCallsAndPairQuestions() {
        insert(rows.row(AskerKind.PAIR, null, 1));
        insert(rows.call(Kind.TOOL, "Bash", "{\"other\":1}"));
        insert(rows.call(Kind.TOOL, "Read", "{}"));
        insert(rows.call(Kind.PLAN, "Bash", "{}"));

        assertThat(repeated(rows.row("next", 1))).isEmpty();
    }

    @Test
    void matchesDecidedCallsFirstAndExpiredOnesOnlyWithSameId() {
        insert(rows.row("first", 1));
        var approved = insert(rows.row("first", 2));
        var decided = decide(approved, MODIFIED, 1);
        assertThat(repeated(rows.row("next", 1))).contains(decided);

        var expired = new ApprovalRows();
        var question = insert(expired.row("first", 1));
        var after = decide(question, Decision.EXPIRED, 1);
        assertThat(repeated(expired.row("next", 1)))
                .as("the same id of the question")
                .contains(after);
        assertThat(repeated(expired.withOtherIds("next"))).isEmpty();
    }

    @Test
    void storesAllStatuses() {
        var stored = new ArrayList<ApprovalStatus>();
        for (var status : ApprovalStatus.values()) {
            if (status != ApprovalStatus.PENDING) {
                var row = insert(rows.row());
                stored.add(decide(row, new Decision(status, null, null, null), 1).status());
            }
        }
        assertThat(stored)
                .containsExactlyElementsOf(
                        Arrays.stream(ApprovalStatus.values())
                                .filter(status -> status != ApprovalStatus.PENDING)
                                .toList());
        assertThat(
                        store.lists()
                                .list(
                                        new ApprovalListStore.Filter(
                                                TENANT,
                                                Optional.of(ApprovalStatus.PENDING),
                                                Optional.empty(),
                                                Optional.empty(),
                                                10)))
                .isEqualTo(List.of());
    }
}
