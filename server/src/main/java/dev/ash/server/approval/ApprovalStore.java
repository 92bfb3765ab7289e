package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.store.Columns;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores questions and decisions. Provides access to the other stores of approvals, each of which
 * has the SQL of one concern.
 */
public final class ApprovalStore {
    private static final String INSERT =
            """
            INSERT INTO approvals
              (id, tenant_id, session_id, turn_id, kind, tool, tool_use_id, description, input,
               risk_level, status, created_at, expires_at, asker, bridge_id, question, n)
            VALUES
              (:id, :tenant, :session, :turn, :kind, :tool, :toolUse, :description, :input,
               :risk, 'pending', :created, :expires, :asker, :bridge, :question, :n)
            """;

    private static final String FIND =
            """
            SELECT *
            FROM approvals
            WHERE id = :id
              AND tenant_id = :tenant
              AND session_id NOT IN (SELECT session_id FROM purges)
            """;

    private static final String REQUIRE =
            """
            SELECT *
            FROM approvals
            WHERE id = :id
            """;

    private static final String AT_POSITION =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND bridge_id = :bridge
              AND n = :n
            """;

    private static final String BY_QUESTION =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND bridge_id = :bridge
              AND question = :question
            ORDER BY n DESC
            """;

    private static final String DECIDE =
            """
            UPDATE approvals
            SET status = :status,
                decided_input = :input,
                message = :message,
                scope = :scope,
                decided_by = :by,
                decided_at = :now
            WHERE id = :id
              AND status = 'pending'
            """;

    /** Excludes questions of pair runs, which are independent of the session's engine. */
    private static final String UNSPENT_OF_SESSION =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND asker <> 'pair'
              AND spent_at IS NULL
            ORDER BY created_at, id
            """;

    private static final String UNSPENT_OF_TURN =
            """
            SELECT *
            FROM approvals
            WHERE session_id = :session
              AND turn_id = :turn
              AND asker <> 'pair'
              AND spent_at IS NULL
            ORDER BY created_at, id
            """;

    private static final String COUNT_PENDING =
            """
            SELECT count(*)
            FROM approvals
            WHERE session_id = :session
              AND asker <> 'pair'
              AND status = 'pending'
              AND spent_at IS NULL
            """;

    private final Database database;
    private final ApprovalDeliveryStore deliveries;
    private final ApprovalExpiryStore expiry;
    private final ApprovalListStore lists;
    private final ApprovalRuleStore rules = new ApprovalRuleStore();
    private final RepeatedCallStore repeatedCalls = new RepeatedCallStore();

    public ApprovalStore(Database database) {
        this.database = database;
        this.deliveries = new ApprovalDeliveryStore(database);
        this.expiry = new ApprovalExpiryStore(database);
        this.lists = new ApprovalListStore(database);
    }

    ApprovalDeliveryStore deliveries() {
        return deliveries;
    }

    ApprovalExpiryStore expiry() {
        return expiry;
    }

    ApprovalListStore lists() {
        return lists;
    }

    ApprovalRuleStore rules() {
        return rules;
    }

    RepeatedCallStore repeatedCalls() {
        return repeatedCalls;
    }

    /** Inserts a pending row. */
    void insert(Transaction transaction, ApprovalRow row) {
        transaction
                .handle()
                .createUpdate(INSERT)
                .bind("id", row.id().value())
                .bind("tenant", row.tenant().value())
                .bind("session", row.session().value())
                .bind("turn", value(row.turn()))
                .bind("kind", row.kind().wire())
                .bind("tool", row.tool())
                .bind("toolUse", row.call().toolUseId())
                .bind("description", row.call().description())
                .bind("input", row.input().toBytes())
                .bind("risk", row.call().riskLevel())
                .bind("created", row.createdAt())
                .bind("expires", row.expiresAt())
                .bind("asker", row.question().asker().column())
                .bind("bridge", row.position().bridgeId())
                .bind("question", row.question().id())
                .bind("n", row.position().n())
                .execute();
    }

    /** Returns the row that this event of a bridge created or was bound to. */
    Optional<ApprovalRow> find(
            Transaction transaction, SessionId session, BridgePosition position) {
        return find(transaction.handle(), session, position);
    }

    Optional<ApprovalRow> find(SessionId session, BridgePosition position) {
        return database.read(handle -> find(handle, session, position));
    }

    private static Optional<ApprovalRow> find(
            Handle handle, SessionId session, BridgePosition position) {
        return handle.createQuery(AT_POSITION)
                .bind("session", session.value())
                .bind("bridge", position.bridgeId())
                .bind("n", position.n())
                .map(rows -> row(rows))
                .findOne();
    }

    /** Stores a decision; returns false if the question is decided already. */
    boolean decide(Transaction transaction, ApprovalId id, Decision decision, String by, long now) {
        var input = decision.input();
        return transaction
                        .handle()
                        .createUpdate(DECIDE)
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

    /** Returns the questions of a bridge with this question id, latest first. */
    List<ApprovalRow> findByQuestion(
            Transaction transaction, SessionId session, String bridge, String question) {
        return transaction
                .handle()
                .createQuery(BY_QUESTION)
                .bind("session", session.value())
                .bind("bridge", bridge)
                .bind("question", question)
                .map(rows -> row(rows))
                .list();
    }

    ApprovalRow require(Transaction transaction, ApprovalId id) {
        return transaction
                .handle()
                .createQuery(REQUIRE)
                .bind("id", id.value())
                .map(rows -> row(rows))
                .one();
    }

    /** Returns rows of a session whose decision no engine has received. */
    List<ApprovalRow> unspent(Transaction transaction, SessionId session) {
        return transaction
                .handle()
                .createQuery(UNSPENT_OF_SESSION)
                .bind("session", session.value())
                .map(rows -> row(rows))
                .list();
    }

    /** Returns rows of a turn whose decision no engine has received. */
    List<ApprovalRow> unspent(Transaction transaction, SessionId session, TurnId turn) {
        return transaction
                .handle()
                .createQuery(UNSPENT_OF_TURN)
                .bind("session", session.value())
                .bind("turn", turn.value())
                .map(rows -> row(rows))
                .list();
    }

    /** Returns the number of pending questions of a session. */
    int countPending(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(COUNT_PENDING)
                                .bind("session", session.value())
                                .mapTo(Integer.class)
                                .one());
    }

    Optional<ApprovalRow> find(TenantId tenant, ApprovalId id) {
        return database.read(
                handle ->
                        handle.createQuery(FIND)
                                .bind("id", id.value())
                                .bind("tenant", tenant.value())
                                .map(rows -> row(rows))
                                .findOne());
    }

    static @Nullable String value(@Nullable TurnId turn) {
        return turn == null ? null : turn.value();
    }

    static ApprovalRow row(ResultSet rows) throws SQLException {
        return new ApprovalRow(
                new ApprovalId(rows.getString("id")),
                new ApprovalRow.Owner(
                        new TenantId(rows.getString("tenant_id")),
                        new SessionId(rows.getString("session_id")),
                        Optional.ofNullable(rows.getString("turn_id"))
                                .map(TurnId::new)
                                .orElse(null)),
                new ApprovalRow.Call(
                        Kind.ofWire(rows.getString("kind")),
                        rows.getString("tool"),
                        rows.getString("tool_use_id"),
                        rows.getString("description"),
                        new RawJson(rows.getBytes("input")),
                        rows.getString("risk_level")),
                new ApprovalRow.Question(
                        AskerKind.ofColumn(rows.getString("asker")),
                        new BridgePosition(rows.getString("bridge_id"), rows.getLong("n")),
                        rows.getString("question")),
                resolution(rows),
                rows.getLong("created_at"),
                Columns.nullableLong(rows, "expires_at"));
    }

    private static ApprovalRow.@Nullable Resolution resolution(ResultSet rows) throws SQLException {
        var status = ApprovalStatus.ofQuery(rows.getString("status"));
        if (status == ApprovalStatus.PENDING) {
            return null;
        }
        var input = rows.getBytes("decided_input");
        return new ApprovalRow.Resolution(
                new Decision(
                        status,
                        input == null ? null : new RawJson(input),
                        rows.getString("message"),
                        rows.getString("scope")),
                rows.getString("decided_by"),
                Columns.nullableLong(rows, "decided_at"));
    }
}
