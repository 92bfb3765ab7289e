package dev.ash.server.tenant;

import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.List;

/** Stores tenants. */
final class TenantStore {
    private static final String LIST =
            """
            SELECT id, created_at, (
              SELECT count(*)
              FROM api_keys
              WHERE revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > :now)
                AND tenant_id = tenants.id
            ) AS valid_keys
            FROM tenants
            ORDER BY created_at, id
            """;

    private static final String FIND =
            """
            SELECT id
            FROM tenants
            WHERE id = :id
            """;

    private static final String INSERT =
            """
            INSERT INTO tenants (id, created_at)
            VALUES (:id, :now)
            ON CONFLICT (id) DO NOTHING
            """;

    private final Database database;

    TenantStore(Database database) {
        this.database = database;
    }

    /** A tenant and the number of its valid keys. */
    record TenantRow(TenantId id, long createdAt, long keys) {}

    List<TenantRow> list(long now) {
        return database.read(
                handle ->
                        handle.createQuery(LIST)
                                .bind("now", now)
                                .map(
                                        rows ->
                                                new TenantRow(
                                                        new TenantId(rows.getString("id")),
                                                        rows.getLong("created_at"),
                                                        rows.getLong("valid_keys")))
                                .list());
    }

    /** Inserts the tenant unless it exists. */
    void ensure(TenantId tenant, long now) {
        if (!exists(tenant)) {
            database.writer().write(transaction -> insert(transaction, tenant, now));
        }
    }

    private boolean exists(TenantId tenant) {
        return database.read(
                handle ->
                        handle.createQuery(FIND)
                                .bind("id", tenant.value())
                                .mapTo(String.class)
                                .findOne()
                                .isPresent());
    }

    /** Inserts the tenant unless it exists; returns whether it was inserted. */
    static boolean insert(Transaction transaction, TenantId tenant, long now) {
        return transaction
                        .handle()
                        .createUpdate(INSERT)
                        .bind("id", tenant.value())
                        .bind("now", now)
                        .execute()
                > 0;
    }
}
