package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Query;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lists approvals: pending ones oldest first, as they wait longest; all others newest first. A page
 * starts after a given row, whose position does not change when it is decided.
 */
final class ApprovalListStore {
    private static final int MAX_PENDING = 1000;

    private static final String LIST =
            """
            SELECT *, length(input) + coalesce(length(decided_input), 0) AS size
            FROM approvals
            WHERE <conditions>
            ORDER BY <order>
            LIMIT :limit
            """;

    private final Database database;

    ApprovalListStore(Database database) {
        this.database = database;
    }

    /** Selects the approvals to list. */
    record Filter(
            TenantId tenant,
            Optional<ApprovalStatus> status,
            Optional<SessionId> session,
            Optional<ApprovalRow> after,
            int limit) {

        private boolean isOldestFirst() {
            return status.equals(Optional.of(ApprovalStatus.PENDING));
        }
    }

    /**
     * The first rows of a list, up to a number of bytes; {@code isComplete} if these are all. If
     * the first row alone exceeds the limit, the page is empty and {@code tooLarge} is the row's
     * size.
     */
    record Page(List<ApprovalRow> rows, boolean isComplete, long tooLarge) {}

    List<ApprovalRow> list(Filter filter) {
        return page(filter, Long.MAX_VALUE).rows();
    }

    Page page(Filter filter, long maxBytes) {
        return database.read(
                handle ->
                        bind(handle.createQuery(LIST), filter)
                                .define("conditions", conditions(filter))
                                .define(
                                        "order",
                                        filter.isOldestFirst()
                                                ? "created_at, id"
                                                : "created_at DESC, id DESC")
                                .read(rows -> readPage(maxBytes, rows)));
    }

    /** Inlines the status, so that the partial index of pending rows is used. */
    private static String conditions(Filter filter) {
        var where = new ArrayList<String>();
        where.add("tenant_id = :tenant");
        where.add("session_id NOT IN (SELECT session_id FROM purges)");
        filter.status().ifPresent(status -> where.add("status = '" + status.wire() + "'"));
        filter.session().ifPresent(_ -> where.add("session_id = :session"));
        if (filter.after().isPresent()) {
            where.add(
                    filter.isOldestFirst()
                            ? "(created_at, id) > (:created, :after)"
                            : "(created_at, id) < (:created, :after)");
        }
        return String.join("\n  AND ", where);
    }

    private static Query bind(Query query, Filter filter) {
        query.bind("tenant", filter.tenant().value()).bind("limit", filter.limit());
        filter.session().ifPresent(id -> query.bind("session", id.value()));
        filter.after()
                .ifPresent(
                        row ->
                                query.bind("created", row.createdAt())
                                        .bind("after", row.id().value()));
        return query;
    }

    private static Page readPage(long maxBytes, ResultSet rows) throws SQLException {
        var found = new ArrayList<ApprovalRow>();
        long remaining = maxBytes;
        while (rows.next()) {
            long size = rows.getLong("size");
            if (size > remaining) {
                return new Page(found, false, found.isEmpty() ? size : 0);
            }
            remaining -= size;
            found.add(ApprovalStore.row(rows));
        }
        return new Page(found, true, 0);
    }

    /** Returns the pending approvals of a session, oldest first. */
    List<ApprovalRow> pending(TenantId tenant, SessionId session) {
        return list(
                new Filter(
                        tenant,
                        Optional.of(ApprovalStatus.PENDING),
                        Optional.of(session),
                        Optional.empty(),
                        MAX_PENDING));
    }
}
