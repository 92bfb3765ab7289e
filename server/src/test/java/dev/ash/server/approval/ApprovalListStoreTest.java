package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.approval.ApprovalListStore.Filter;
import dev.ash.server.approval.ApprovalListStore.Page;
import dev.ash.server.store.StoreContract;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(ApprovalListStore.class)
class ApprovalListStoreTest extends StoreContract {
    private static final Comparator<ApprovalRow> OLDEST_FIRST =
            Comparator.comparing(ApprovalRow::createdAt).thenComparing(row -> row.id().value());

    private final ApprovalRows rows = new ApprovalRows();
    private final ApprovalRows others = new ApprovalRows();
    private ApprovalStore approvals;
    private ApprovalListStore store;

    @BeforeEach
    void create() {
        approvals = new ApprovalStore(database);
        store = approvals.lists();
    }

    /** Inserts pending and approved rows of two sessions, some with equal times. */
    private List<ApprovalRow> insertAll() {
        var all = new ArrayList<ApprovalRow>();
        for (var of : List.of(rows, others)) {
            for (int i = 0; i < 8; i++) {
                var row = of.row(AskerKind.ENGINE, null, i / 3);
                boolean isApproved = i % 2 == 0;
                write(
                        transaction -> {
                            approvals.insert(transaction, row);
                            if (isApproved) {
                                approvals.decide(
                                        transaction, row.id(), Decision.BY_RULE, "rule", 1);
                            }
                        });
                all.add(approvals.find(TENANT, row.id()).orElseThrow());
            }
        }
        return all;
    }

    private static Filter filter(
            TenantId tenant,
            Optional<ApprovalStatus> status,
            Optional<SessionId> session,
            Optional<ApprovalRow> after,
            int limit) {
        return new Filter(tenant, status, session, after, limit);
    }

    @Test
    void pagesThroughAllListsInOrder() {
        var all = insertAll();
        for (var status :
                List.of(
                        Optional.<ApprovalStatus>empty(),
                        Optional.of(ApprovalStatus.PENDING),
                        Optional.of(ApprovalStatus.APPROVED),
                        Optional.of(ApprovalStatus.REJECTED))) {
            for (var session : List.of(Optional.<SessionId>empty(), Optional.of(rows.session))) {
                var order =
                        status.equals(Optional.of(ApprovalStatus.PENDING))
                                ? OLDEST_FIRST
                                : OLDEST_FIRST.reversed();
                var expected =
                        all.stream()
                                .filter(row -> status.isEmpty() || status.get() == row.status())
                                .filter(
                                        row ->
                                                session.isEmpty()
                                                        || session.get().equals(row.session()))
                                .sorted(order)
                                .toList();

                assertThat(store.list(filter(TENANT, status, session, Optional.empty(), 100)))
                        .containsExactlyElementsOf(expected);
                assertThat(paged(status, session)).containsExactlyElementsOf(expected);
            }
        }
    }

    private List<ApprovalRow> paged(Optional<ApprovalStatus> status, Optional<SessionId> session) {
        var found = new ArrayList<ApprovalRow>();
        var after = Optional.<ApprovalRow>empty();
        do {
            var page = store.list(filter(TENANT, status, session, after, 3));
            found.addAll(page);
            after = page.isEmpty() ? Optional.empty() : Optional.of(page.getLast());
        } while (after.isPresent());
        return found;
    }

    @Test
    void excludesOtherTenantsAndSessionsBeingPurged() {
        insertAll();
        assertThat(listOf(OTHER_TENANT)).isEmpty();

        insertPurge(TENANT, rows.session);

        assertThat(listOf(TENANT))
                .hasSize(8)
                .extracting(ApprovalRow::session)
                .containsOnly(others.session);
    }

    private List<ApprovalRow> listOf(TenantId tenant) {
        return store.list(
                filter(tenant, Optional.empty(), Optional.empty(), Optional.empty(), 100));
    }

    @Test
    void limitsSizeOfPages() {
        var small = rows.row();
        var large = rows.call(small.kind(), "Bash", "{\"x\":\"" + "🦊".repeat(100) + "\"}");
        write(transaction -> approvals.insert(transaction, small));
        write(transaction -> approvals.insert(transaction, large));
        var all =
                filter(
                        TENANT,
                        Optional.of(ApprovalStatus.PENDING),
                        Optional.empty(),
                        Optional.empty(),
                        10);
        var inOrder = List.of(small, large).stream().sorted(OLDEST_FIRST).toList();
        long first = inOrder.getFirst().input().length();
        long both = first + inOrder.getLast().input().length();

        assertThat(store.page(all, first - 1)).isEqualTo(new Page(List.of(), false, first));
        assertThat(store.page(all, both - 1)).isEqualTo(new Page(inOrder.subList(0, 1), false, 0));
        assertThat(store.page(all, both)).isEqualTo(new Page(inOrder, true, 0));
    }
}
