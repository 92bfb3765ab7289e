package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** The rows of approvals, and of the tools that pass for a whole session. */
public final class ApprovalStore {
    private static final String HELD_BY =
            " session_id = :session AND bridge_id = :bridge AND question = :question";

    /**
     * The turns of these wait for nothing but to be gone on with. One that is laid aside and spent
     * was called off by a server that was killed before it could wake the session.
     */
    private static final String TO_WAKE =
            " FROM approvals a JOIN turns t ON t.id = a.turn_id WHERE t.status = 'deferred' AND"
                    + " a.status <> 'pending' AND (a.spent_at IS NULL OR a.bridge_id ="
                    + " 'laid-aside:' || a.id)";

    /** Those that runs of pairs ask are not the session's own. */
    private static final String OF_SESSION =
            " bridge_id NOT LIKE '" + Approvals.PAIRS + "%' AND session_id = :session";

    private final Database database;

    public ApprovalStore(Database database) {
        this.database = database;
    }

    void insert(Transaction transaction, ApprovalRow row) {
        place(
                        transaction
                                .handle()
                                .createUpdate(
                                        "INSERT INTO approvals (id, tenant_id, session_id, turn_id,"
                                                + " kind, tool, tool_use_id, description, input,"
                                                + " status, scope, decided_by, created_at,"
                                                + " decided_at, expires_at, bridge_id, question, n,"
                                                + " spent_at, risk_level) VALUES (:id, :tenant, :session, :turn,"
                                                + " :kind, :tool, :toolUse, :description, :input,"
                                                + " :status, :scope, :by, :created, :decided,"
                                                + " :expires, :bridge, :question, :n, :spent, :risk)"),
                        row.place())
                .bind("id", row.id().value())
                .bind("tenant", row.tenant().value())
                .bind("session", row.session().value())
                .bind("turn", value(row.turn()))
                .bind("kind", row.kind().wire())
                .bind("tool", row.tool())
                .bind("toolUse", row.toolUseId())
                .bind("description", row.description())
                .bind("input", row.input().toBytes())
                .bind("status", row.status().wire())
                .bind("scope", row.scope())
                .bind("by", row.decidedBy())
                .bind("created", row.createdAt())
                .bind("decided", row.decidedAt())
                .bind("expires", row.expiresAt())
                .bind("question", row.question())
                .bind("spent", row.spentAt())
                .bind("risk", row.riskLevel())
                .execute();
    }

    /** The row that this very event of a bridge made, or was bound to. */
    Optional<ApprovalRow> at(Transaction transaction, SessionId session, BridgePlace place) {
        return at(transaction.handle(), session, place);
    }

    Optional<ApprovalRow> at(SessionId session, BridgePlace place) {
        return database.read(handle -> at(handle, session, place));
    }

    private static Optional<ApprovalRow> at(Handle handle, SessionId session, BridgePlace place) {
        return place(
                        handle.createQuery(
                                "SELECT * FROM approvals WHERE session_id = :session AND bridge_id ="
                                        + " :bridge AND n = :n"),
                        place)
                .bind("session", session.value())
                .map((rows, _) -> row(rows))
                .findOne();
    }

    /**
     * An earlier row for the same call, asked by a bridge that is gone, whose answer nobody had.
     * Decided ones come first. That a call expired or was cancelled says nothing about a later one:
     * it counts only where the engine repeats the same use of the tool.
     */
    Optional<ApprovalRow> sameCall(Transaction transaction, ApprovalRow asked) {
        return transaction
                .handle()
                .createQuery(
                        "SELECT * FROM approvals WHERE"
                                + OF_SESSION
                                + " AND spent_at IS NULL AND kind = :kind AND tool = :tool AND bridge_id <> :bridge AND input"
                                + " = :input AND (status IN ('pending', 'approved', 'modified',"
                                + " 'rejected') OR question = :question OR tool_use_id = :toolUse)"
                                + " ORDER BY status = 'pending', created_at, id LIMIT 1")
                .bind("bridge", asked.place().bridgeId())
                .bind("session", asked.session().value())
                .bind("kind", asked.kind().wire())
                .bind("tool", asked.tool())
                .bind("input", asked.input().toBytes())
                .bind("question", asked.question())
                .bind("toolUse", asked.toolUseId())
                .map((rows, _) -> row(rows))
                .findOne();
    }

    /** From now on it is this bridge that asks. */
    void rebind(Transaction transaction, ApprovalId id, ApprovalRow asked) {
        place(
                        transaction
                                .handle()
                                .createUpdate(
                                        "UPDATE approvals SET bridge_id = :bridge, n = :n, question ="
                                                + " :question, turn_id = :turn, tool_use_id ="
                                                + " :toolUse WHERE id = :id"),
                        asked.place())
                .bind("id", id.value())
                .bind("question", asked.question())
                .bind("turn", value(asked.turn()))
                .bind("toolUse", asked.toolUseId())
                .execute();
    }

    /** Writes the decision if there is none yet; whether it did. */
    boolean decide(Transaction transaction, ApprovalId id, Decision decision, String by, long now) {
        var input = decision.input();
        return transaction
                        .handle()
                        .createUpdate(
                                "UPDATE approvals SET status = :status, decided_input = :input,"
                                        + " message = :message, scope = :scope, decided_by = :by,"
                                        + " decided_at = :now WHERE id = :id AND status = 'pending'")
                        .bind("id", id.value())
                        .bind("status", decision.status().wire())
                        .bind("input", input == null ? null : input.toBytes())
                        .bind("message", decision.message())
                        .bind("scope", decision.scope())
                        .bind("by", by)
                        .bind("now", now)
                        .execute()
                > 0;
    }

    /** Gives the decision to this bridge, if it is the one that asks and nobody had it before. */
    boolean spend(Transaction transaction, ApprovalId id, String bridge, long now) {
        return transaction
                        .handle()
                        .createUpdate(
                                "UPDATE approvals SET spent_at = :now WHERE id = :id AND bridge_id ="
                                        + " :bridge AND spent_at IS NULL AND status <> 'pending'")
                        .bind("id", id.value())
                        .bind("bridge", bridge)
                        .bind("now", now)
                        .execute()
                > 0;
    }

    boolean spendNow(ApprovalId id, String bridge, long now) {
        return database.writer().write(transaction -> spend(transaction, id, bridge, now));
    }

    /** Nobody asks it until the engine does again, perhaps through the same bridge. */
    void layAside(Transaction transaction, ApprovalId id) {
        transaction
                .handle()
                .createUpdate(
                        "UPDATE approvals SET bridge_id = 'laid-aside:' || id, spent_at = NULL WHERE"
                                + " id = :id")
                .bind("id", id.value())
                .execute();
    }

    /** What a bridge asked under this name, latest first. */
    List<ApprovalRow> heldBy(
            Transaction transaction, SessionId session, String bridge, String question) {
        return transaction
                .handle()
                .createQuery("SELECT * FROM approvals WHERE" + HELD_BY + " ORDER BY n DESC")
                .bind("session", session.value())
                .bind("bridge", bridge)
                .bind("question", question)
                .map((rows, _) -> row(rows))
                .list();
    }

    ApprovalRow require(Transaction transaction, ApprovalId id) {
        return transaction
                .handle()
                .createQuery("SELECT * FROM approvals WHERE id = :id")
                .bind("id", id.value())
                .map((rows, _) -> row(rows))
                .one();
    }

    boolean passes(Transaction transaction, SessionId session, String tool) {
        return transaction
                .handle()
                .createQuery(
                        "SELECT 1 FROM approval_rules WHERE session_id = :session AND tool = :tool")
                .bind("session", session.value())
                .bind("tool", tool)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    }

    void letPass(Transaction transaction, SessionId session, String tool, long now) {
        transaction
                .handle()
                .createUpdate(
                        "INSERT INTO approval_rules (session_id, tool, created_at) VALUES (:session,"
                                + " :tool, :now) ON CONFLICT DO NOTHING")
                .bind("session", session.value())
                .bind("tool", tool)
                .bind("now", now)
                .execute();
    }

    /** Rows of a session, or of one of its turns, whose answer no engine has. */
    List<ApprovalRow> unspent(Transaction transaction, SessionId session, @Nullable TurnId turn) {
        return transaction
                .handle()
                .createQuery(
                        "SELECT * FROM approvals WHERE"
                                + OF_SESSION
                                + " AND spent_at IS NULL AND (:turn IS NULL OR turn_id = :turn) ORDER BY created_at, id")
                .bind("session", session.value())
                .bind("turn", value(turn))
                .map((rows, _) -> row(rows))
                .list();
    }

    void told(Transaction transaction, List<String> ids, long now) {
        for (var id : ids) {
            transaction
                    .handle()
                    .createUpdate("UPDATE approvals SET told_at = :now WHERE id = :id")
                    .bind("id", id)
                    .bind("now", now)
                    .execute();
        }
    }

    /** Decided, not told yet, and not about to be asked again by a turn that goes on. */
    List<ApprovalRow> untold(SessionId session, String liveBridge, int limit) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM approvals WHERE"
                                                + OF_SESSION
                                                + " AND spent_at IS NULL AND told_at IS NULL AND"
                                                + " bridge_id <> :live AND status IN ('approved',"
                                                + " 'modified', 'rejected', 'expired') AND NOT EXISTS"
                                                + " (SELECT 1 FROM turns t WHERE t.id ="
                                                + " approvals.turn_id AND t.status = 'deferred')"
                                                + " ORDER BY decided_at, id LIMIT :limit")
                                .bind("session", session.value())
                                .bind("live", liveBridge)
                                .bind("limit", limit)
                                .map((rows, _) -> row(rows))
                                .list());
    }

    /** Everything decided that this bridge asked. */
    List<ApprovalRow> decidedAt(SessionId session, String bridge) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM approvals WHERE session_id = :session AND"
                                                + " bridge_id = :bridge AND status <> 'pending' ORDER"
                                                + " BY n")
                                .bind("session", session.value())
                                .bind("bridge", bridge)
                                .map((rows, _) -> row(rows))
                                .list());
    }

    boolean isToWake(ApprovalId id) {
        return database.read(
                handle ->
                        handle.createQuery("SELECT 1" + TO_WAKE + " AND a.id = :id")
                                .bind("id", id.value())
                                .mapTo(Integer.class)
                                .findOne()
                                .isPresent());
    }

    List<SessionId> toWake() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT DISTINCT a.session_id" + TO_WAKE)
                                .map((rows, _) -> new SessionId(rows.getString("session_id")))
                                .list());
    }

    int open(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT count(*) FROM approvals WHERE"
                                                + OF_SESSION
                                                + " AND status = 'pending' AND spent_at IS NULL")
                                .bind("session", session.value())
                                .mapTo(Integer.class)
                                .one());
    }

    /** Questions that stay open no longer, a few at a time. */
    List<ApprovalRow> overdue(long now) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM approvals WHERE status = 'pending' AND"
                                                + " expires_at <= :now ORDER BY expires_at LIMIT 100")
                                .bind("now", now)
                                .map((rows, _) -> row(rows))
                                .list());
    }

    OptionalLong nextExpiry() {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT expires_at FROM approvals WHERE status = 'pending' AND"
                                                + " expires_at IS NOT NULL ORDER BY expires_at LIMIT 1")
                                .mapTo(Long.class)
                                .findOne()
                                .map(OptionalLong::of)
                                .orElseGet(OptionalLong::empty));
    }

    Optional<ApprovalRow> find(TenantId tenant, ApprovalId id) {
        return database.read(handle -> find(handle, tenant, id));
    }

    private static Optional<ApprovalRow> find(Handle handle, TenantId tenant, ApprovalId id) {
        return handle.createQuery(
                        "SELECT * FROM approvals WHERE id = :id AND tenant_id = :tenant AND"
                                + " session_id NOT IN (SELECT session_id FROM purges)")
                .bind("id", id.value())
                .bind("tenant", tenant.value())
                .map((rows, _) -> row(rows))
                .findOne();
    }

    /** Which approvals to list. */
    record Filter(
            TenantId tenant,
            Optional<ApprovalStatus> status,
            Optional<SessionId> session,
            Optional<ApprovalRow> after,
            int limit) {}

    /**
     * Pending ones oldest first, as they wait longest; all others newest first. What a page begins
     * after stays in its place when it is decided meanwhile.
     */
    List<ApprovalRow> list(Filter filter) {
        return page(filter, Long.MAX_VALUE).rows();
    }

    /**
     * The first rows of a list, up to a number of bytes; {@code isWhole} if they are all. If the
     * first one alone has more there are none, and {@code tooLarge} is its size.
     */
    record Page(List<ApprovalRow> rows, boolean isWhole, long tooLarge) {}

    Page page(Filter filter, long maxBytes) {
        boolean oldestFirst = filter.status().equals(Optional.of(ApprovalStatus.PENDING));
        var sql =
                "SELECT *, length(input) + coalesce(length(decided_input), 0) AS size FROM"
                        + " approvals WHERE tenant_id = :tenant AND session_id NOT IN (SELECT"
                        + " session_id FROM purges)"
                        // Written out, so that the index of pending ones is used.
                        + filter.status().map(s -> " AND status = '" + s.wire() + "'").orElse("")
                        + filter.session().map(_ -> " AND session_id = :session").orElse("")
                        + filter.after()
                                .map(
                                        _ ->
                                                " AND (created_at, id) "
                                                        + (oldestFirst ? ">" : "<")
                                                        + " (:created, :after)")
                                .orElse("")
                        + (oldestFirst
                                ? " ORDER BY created_at, id"
                                : " ORDER BY created_at DESC, id DESC")
                        + " LIMIT :limit";
        return database.read(
                handle -> {
                    var query =
                            handle.createQuery(sql)
                                    .bind("tenant", filter.tenant().value())
                                    .bind("limit", filter.limit());
                    filter.session().ifPresent(id -> query.bind("session", id.value()));
                    filter.after()
                            .ifPresent(
                                    row ->
                                            query.bind("created", row.createdAt())
                                                    .bind("after", row.id().value()));
                    return query.scanResultSet((rows, _) -> upTo(maxBytes, rows.get()));
                });
    }

    private static Page upTo(long maxBytes, ResultSet rows) throws SQLException {
        var found = new ArrayList<ApprovalRow>();
        long left = maxBytes;
        while (rows.next()) {
            long size = rows.getLong("size");
            if (size > left) {
                return new Page(found, false, found.isEmpty() ? size : 0);
            }
            left -= size;
            found.add(row(rows));
        }
        return new Page(found, true, 0);
    }

    private static <S extends SqlStatement<S>> S place(S statement, BridgePlace place) {
        return statement.bind("bridge", place.bridgeId()).bind("n", place.n());
    }

    private static @Nullable String value(@Nullable TurnId turn) {
        return turn == null ? null : turn.value();
    }

    private static ApprovalRow row(ResultSet rows) throws SQLException {
        var decidedInput = rows.getBytes("decided_input");
        return new ApprovalRow(
                new ApprovalId(rows.getString("id")),
                new TenantId(rows.getString("tenant_id")),
                new SessionId(rows.getString("session_id")),
                Optional.ofNullable(rows.getString("turn_id")).map(TurnId::new).orElse(null),
                Kind.ofWire(rows.getString("kind")),
                rows.getString("tool"),
                rows.getString("tool_use_id"),
                rows.getString("description"),
                new RawJson(rows.getBytes("input")),
                ApprovalStatus.ofQuery(rows.getString("status")),
                decidedInput == null ? null : new RawJson(decidedInput),
                rows.getString("message"),
                rows.getString("scope"),
                rows.getString("decided_by"),
                rows.getLong("created_at"),
                orNull(rows, "decided_at"),
                orNull(rows, "expires_at"),
                new BridgePlace(rows.getString("bridge_id"), rows.getLong("n")),
                rows.getString("question"),
                orNull(rows, "spent_at"),
                rows.getString("risk_level"));
    }

    private static @Nullable Long orNull(ResultSet rows, String column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : (Long) value;
    }
}
