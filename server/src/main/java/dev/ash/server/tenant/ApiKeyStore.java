package dev.ash.server.tenant;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rows of API keys and tenants: hashes, never the keys. */
final class ApiKeyStore {
    static final int MAX_KEYS = 1000; // of a tenant
    private static final Duration REVOKED_KEPT = Duration.ofDays(30);
    private static final String VALID =
            " revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) ";

    private final Database database;

    ApiKeyStore(Database database) {
        this.database = database;
    }

    /** A tenant and the number of its valid keys. */
    record TenantRow(TenantId id, long createdAt, long keys) {}

    /** Whether there never was a key: revoked ones count. */
    boolean isEmpty() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT count(*) FROM api_keys").mapTo(Long.class).one()
                                == 0);
    }

    Optional<ApiKeyRow> find(String hash) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM api_keys WHERE key_hash = :hash AND"
                                                + " revoked_at IS NULL")
                                .bind("hash", hash)
                                .map((rows, _) -> row(rows))
                                .findOne());
    }

    List<ApiKeyRow> list(TenantId tenant) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM api_keys WHERE tenant_id = :tenant AND"
                                                + " revoked_at IS NULL ORDER BY created_at, id")
                                .bind("tenant", tenant.value())
                                .map((rows, _) -> row(rows))
                                .list());
    }

    /** Those of {@code ids} that are neither revoked nor expired. */
    List<String> valid(Set<String> ids, long now) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT id FROM api_keys WHERE"
                                                + VALID
                                                + "AND id IN (<ids>)")
                                .bind("now", now)
                                .bindList("ids", List.copyOf(ids))
                                .mapTo(String.class)
                                .list());
    }

    List<TenantRow> tenants(long now) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT id, created_at, (SELECT count(*) FROM api_keys WHERE"
                                                + VALID
                                                + "AND tenant_id = tenants.id) AS keys FROM tenants"
                                                + " ORDER BY created_at, id")
                                .bind("now", now)
                                .map(
                                        (rows, _) ->
                                                new TenantRow(
                                                        new TenantId(rows.getString("id")),
                                                        rows.getLong("created_at"),
                                                        rows.getLong("keys")))
                                .list());
    }

    /** Inserts the tenant where there is none yet. */
    void ensureTenant(TenantId tenant, long now) {
        boolean exists =
                database.read(
                        handle ->
                                handle.createQuery("SELECT id FROM tenants WHERE id = :id")
                                        .bind("id", tenant.value())
                                        .mapTo(String.class)
                                        .findOne()
                                        .isPresent());
        if (!exists) {
            database.writer().write(transaction -> insertTenant(transaction, tenant, now));
        }
    }

    /** Inserts a key, and its tenant where there is none yet. A null {@code scopes} means all. */
    void insert(ApiKeyRow key, String hash, @Nullable Set<Scope> scopes) {
        database.writer()
                .write(
                        transaction -> {
                            insertTenant(transaction, key.tenant(), key.createdAt());
                            return insertKey(transaction, key, hash, scopes);
                        });
    }

    /** Inserts a tenant, which must be new, and its first key, which has all scopes. */
    void insertTenant(ApiKeyRow first, String hash) {
        database.writer()
                .write(
                        transaction -> {
                            if (!insertTenant(transaction, first.tenant(), first.createdAt())) {
                                throw new ApiException(
                                        ErrorCode.TENANT_EXISTS,
                                        "The tenant \"%s\" exists; choose another name, or create a key for it with POST /api/internal/api-keys"
                                                .formatted(first.tenant()));
                            }
                            return insertKey(transaction, first, hash, null);
                        });
    }

    private static boolean insertTenant(Transaction transaction, TenantId tenant, long now) {
        return transaction
                        .handle()
                        .createUpdate(
                                "INSERT INTO tenants (id, created_at) VALUES (:id, :now)"
                                        + " ON CONFLICT (id) DO NOTHING")
                        .bind("id", tenant.value())
                        .bind("now", now)
                        .execute()
                > 0;
    }

    private static int insertKey(
            Transaction transaction, ApiKeyRow key, String hash, @Nullable Set<Scope> scopes) {
        var handle = transaction.handle();
        handle.createUpdate(
                        "DELETE FROM api_keys WHERE tenant_id = :tenant AND revoked_at < :before")
                .bind("tenant", key.tenant().value())
                .bind("before", key.createdAt() - REVOKED_KEPT.toMillis())
                .execute();
        long count =
                handle.createQuery(
                                "SELECT count(*) FROM api_keys WHERE tenant_id = :tenant AND"
                                        + " revoked_at IS NULL")
                        .bind("tenant", key.tenant().value())
                        .mapTo(Long.class)
                        .one();
        if (count >= MAX_KEYS) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "The tenant has %,d API keys, the maximum; revoke some first".formatted(count));
        }
        return handle.createUpdate(
                        "INSERT INTO api_keys (id, tenant_id, key_hash, key_prefix, label,"
                                + " created_at, scopes, expires_at) VALUES (:id, :tenant, :hash,"
                                + " :prefix, :label, :now, :scopes, :expires)")
                .bind("id", key.id())
                .bind("tenant", key.tenant().value())
                .bind("hash", hash)
                .bind("prefix", key.prefix())
                .bind("label", key.label())
                .bind("now", key.createdAt())
                .bind("scopes", scopes == null ? null : Scope.names(scopes).replace(" ", ""))
                .bind("expires", key.expiresAt())
                .execute();
    }

    /**
     * Revokes a key; false if the tenant has no such key. The last valid admin key of a tenant is
     * refused unless {@code hasOther}: nobody could create keys afterwards.
     */
    boolean revoke(TenantId tenant, String id, boolean hasOther, long now) {
        return database.writer()
                .write(
                        transaction -> {
                            if (!hasOther && isLastAdmin(transaction, tenant, id, now)) {
                                throw new ApiException(
                                        ErrorCode.VALIDATION_FAILED,
                                        "This is the last valid key of the tenant \"%s\" with the scope \"admin\"; create another one first"
                                                .formatted(tenant));
                            }
                            return transaction
                                            .handle()
                                            .createUpdate(
                                                    "UPDATE api_keys SET revoked_at = :now, key_hash ="
                                                            + " 'revoked:' || id WHERE id = :id AND"
                                                            + " tenant_id = :tenant AND revoked_at"
                                                            + " IS NULL")
                                            .bind("now", now)
                                            .bind("id", id)
                                            .bind("tenant", tenant.value())
                                            .execute()
                                    > 0;
                        });
    }

    private static boolean isLastAdmin(
            Transaction transaction, TenantId tenant, String id, long now) {
        return transaction
                .handle()
                .createQuery(
                        "SELECT id FROM api_keys WHERE"
                                + VALID
                                + "AND tenant_id = :tenant AND (scopes IS NULL OR ',' || scopes ||"
                                + " ',' LIKE '%,admin,%') LIMIT 2")
                .bind("now", now)
                .bind("tenant", tenant.value())
                .mapTo(String.class)
                .list()
                .equals(List.of(id));
    }

    /** Stores the time of the last use of each key id. */
    void used(Map<String, Long> lastUses) {
        database.writer()
                .write(
                        transaction -> {
                            var batch =
                                    transaction
                                            .handle()
                                            .prepareBatch(
                                                    "UPDATE api_keys SET last_used_at = :at WHERE id"
                                                            + " = :id");
                            lastUses.forEach((id, at) -> batch.bind("id", id).bind("at", at).add());
                            return batch.execute().length;
                        });
    }

    private static ApiKeyRow row(ResultSet rows) throws SQLException {
        return new ApiKeyRow(
                rows.getString("id"),
                new TenantId(rows.getString("tenant_id")),
                rows.getString("label"),
                rows.getString("key_prefix"),
                rows.getLong("created_at"),
                scopes(rows.getString("scopes")),
                time(rows, "expires_at"),
                time(rows, "last_used_at"));
    }

    /** A name that this version does not know grants nothing. */
    private static Set<Scope> scopes(@Nullable String names) {
        return names == null
                ? Scope.ALL
                : Scope.included(
                        Stream.of(names.split(",", -1))
                                .flatMap(name -> Scope.ofWire(name).stream())
                                .toList());
    }

    private static @Nullable Long time(ResultSet rows, String column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : value;
    }
}
