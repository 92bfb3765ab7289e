package dev.ash.server.spending;

import dev.ash.protocol.SessionId;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stores the reservations of calls in flight and the spending totals of sessions. */
final class SpendingStore {
    /** Currently one server per database; recovery settles only its own reservations. */
    private static final String SERVER = "local";

    /**
     * Admits and reserves in one statement, so that servers can share a database. A budget of a
     * tenant, an agent or a day would be another condition with the same sums.
     */
    private static final String RESERVE =
            """
            INSERT INTO reservations (id, day, server_id, input_tokens, output_tokens,
                cost_micro_usd, created_at, tenant_id, agent_name, session_id)
            SELECT ?, ?, ?, ?, ?, ?, ?, s.tenant_id, s.agent_name, s.id
            FROM sessions s
            WHERE s.id = ?
                AND s.cost_micro_usd
                    + (SELECT coalesce(sum(r.cost_micro_usd), 0)
                        FROM reservations r
                        WHERE r.session_id = s.id)
                    < ?
                AND s.input_tokens + s.output_tokens
                    + s.cache_creation_tokens + s.cache_read_tokens
                    + (SELECT coalesce(sum(r.input_tokens + r.output_tokens), 0)
                        FROM reservations r
                        WHERE r.session_id = s.id)
                    < ?
            """;

    private static final String REMOVE =
            """
            DELETE FROM reservations
            WHERE id = ?
            """;

    private static final String CHARGE =
            """
            UPDATE sessions
            SET input_tokens = input_tokens + ?,
                output_tokens = output_tokens + ?,
                cache_creation_tokens = cache_creation_tokens + ?,
                cache_read_tokens = cache_read_tokens + ?,
                cost_micro_usd = cost_micro_usd + ?
            WHERE id = ?
            """;

    private static final String BALANCE =
            """
            SELECT coalesce(max(s.cost_micro_usd), 0) AS cost,
                coalesce(max(s.input_tokens + s.output_tokens
                    + s.cache_creation_tokens + s.cache_read_tokens), 0) AS tokens,
                coalesce(sum(r.cost_micro_usd), 0) AS reserved_cost,
                coalesce(sum(r.input_tokens + r.output_tokens), 0) AS reserved_tokens,
                count(r.id) AS calls
            FROM sessions s
            LEFT JOIN reservations r ON r.session_id = s.id
            WHERE s.id = :session
            """;

    private static final String LEFTOVERS =
            """
            SELECT id, session_id, input_tokens, output_tokens, cost_micro_usd
            FROM reservations
            WHERE server_id = :server
            """;

    /** A call to be reserved. */
    record Call(String id, SessionId session, ModelUsage estimate, String day, long now) {}

    /** Returns false if the session's budget does not admit the call; null means no limit. */
    boolean reserve(
            Transaction transaction,
            Call call,
            @Nullable Long maxMicroUsd,
            @Nullable Long maxTokens) {
        return transaction
                        .handle()
                        .execute(
                                RESERVE,
                                call.id(),
                                call.day(),
                                SERVER,
                                call.estimate().input(),
                                call.estimate().output(),
                                micros(call.estimate().costUsd()),
                                call.now(),
                                call.session().value(),
                                maxMicroUsd == null ? Long.MAX_VALUE : maxMicroUsd,
                                maxTokens == null ? Long.MAX_VALUE : maxTokens)
                > 0;
    }

    /** The spending of a session and the reservations of its calls in flight. */
    record Balance(
            long microUsd, long tokens, long reservedMicroUsd, long reservedTokens, long calls) {}

    Balance balance(Transaction transaction, SessionId session) {
        return transaction
                .handle()
                .createQuery(BALANCE)
                .bind("session", session.value())
                .map(rows -> balance(rows))
                .one();
    }

    private static Balance balance(ResultSet rows) throws SQLException {
        return new Balance(
                rows.getLong("cost"),
                rows.getLong("tokens"),
                rows.getLong("reserved_cost"),
                rows.getLong("reserved_tokens"),
                rows.getLong("calls"));
    }

    /** Returns false if the reservation does not exist because its call was settled already. */
    boolean remove(Transaction transaction, String reservation) {
        return transaction.handle().execute(REMOVE, reservation) > 0;
    }

    /** Adds to the totals of a session. */
    void charge(Transaction transaction, SessionId session, ModelUsage usage) {
        transaction
                .handle()
                .execute(
                        CHARGE,
                        usage.input(),
                        usage.output(),
                        usage.cacheCreation(),
                        usage.cacheRead(),
                        micros(usage.costUsd()),
                        session.value());
    }

    /** A reservation left by an earlier process of this server. */
    record Leftover(String id, SessionId session, ModelUsage estimate) {}

    List<Leftover> leftovers(Transaction transaction) {
        return transaction
                .handle()
                .createQuery(LEFTOVERS)
                .bind("server", SERVER)
                .map(rows -> leftover(rows))
                .list();
    }

    private static Leftover leftover(ResultSet rows) throws SQLException {
        var estimate =
                new ModelUsage(
                        "",
                        rows.getLong("input_tokens"),
                        0,
                        0,
                        rows.getLong("output_tokens"),
                        rows.getLong("cost_micro_usd") / 1e6,
                        true,
                        false);
        return new Leftover(
                rows.getString("id"), new SessionId(rows.getString("session_id")), estimate);
    }

    /** Rounds up, so that no call is free; the small constant absorbs rounding errors. */
    static long micros(double usd) {
        return (long) Math.ceil(usd * 1e6 - 1e-4);
    }
}
