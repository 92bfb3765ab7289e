package dev.ash.server.tenant;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Columns;
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

/** Stores API keys: their hashes, never the keys themselves. */
final class ApiKeyStore {
    static final int MAX_KEYS = 1000; // per tenant
    private static final Duration REVOKED_RETENTION = Duration.ofDays(30);

    private static final String COUNT =
            """
            SELECT count(*)
            FROM api_keys
            """;

    private static final String FIND =
            """
            SELECT *
            FROM api_keys
            WHERE key_hash = :hash
              AND revoked_at IS NULL
            """;

    private static final String LIST =
            """
            SELECT *
            FROM api_keys
            WHERE tenant_id = :tenant
              AND revoked_at IS NULL
            ORDER BY created_at, id
            """;

    private static final String VALID =
            """
            SELECT id
            FROM api_keys
            WHERE revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > :now)
              AND id IN (<ids>)
            """;

    private static final String VALID_ADMINS =
            """
            SELECT id
            FROM api_keys
            WHERE revoked_at IS NULL
              AND (expires_at IS NULL OR expires_at > :now)
              AND tenant_id = :tenant
              AND (scopes IS NULL OR ',' || scopes || ',' LIKE '%,admin,%')
            LIMIT 2
            """;

    private static final String COUNT_OF_TENANT =
            """
            SELECT count(*)
            FROM api_keys
            WHERE tenant_id = :tenant
              AND revoked_at IS NULL
            """;

    private static final String INSERT =
            """
            INSERT INTO api_keys
              (id, tenant_id, key_hash, key_prefix, label, created_at, scopes, expires_at)
            VALUES
              (:id, :tenant, :hash, :prefix, :label, :now, :scopes, :expires)
            """;

    private static final String REVOKE =
            """
            UPDATE api_keys
            SET revoked_at = :now,
                key_hash = 'revoked:' || id
            WHERE id = :id
              AND tenant_id = :tenant
              AND revoked_at IS NULL
            """;

    private static final String SET_LAST_USE =
            """
            UPDATE api_keys
            SET last_used_at = :at
            WHERE id = :id
            """;

    private static final String DELETE_REVOKED =
            """
            DELETE FROM api_keys
            WHERE tenant_id = :tenant
              AND revoked_at < :before
            """;

    private final Database database;

    ApiKeyStore(Database database) {
        this.database = database;
    }

    /** Returns whether no key has ever been created; revoked keys count. */
    boolean isEmpty() {
        return database.read(handle -> handle.createQuery(COUNT).mapTo(Long.class).one() == 0);
    }

    Optional<ApiKeyRow> find(String hash) {
        return database.read(
                handle ->
                        handle.createQuery(FIND)
                                .bind("hash", hash)
                                .map(rows -> row(rows))
                                .findOne());
    }

    List<ApiKeyRow> list(TenantId tenant) {
        return database.read(
                handle ->
                        handle.createQuery(LIST)
                                .bind("tenant", tenant.value())
                                .map(rows -> row(rows))
                                .list());
    }

    /** Returns the ids of keys that are neither revoked nor expired. */
    List<String> valid(Set<String> ids, long now) {
        return database.read(
                handle ->
                        handle.createQuery(VALID)
                                .bind("now", now)
                                .bindList("ids", List.copyOf(ids))
                                .mapTo(String.class)
                                .list());
    }

    /** Inserts a key, and its tenant if it does not exist. Null {@code scopes} means all. */
    void insert(ApiKeyRow key, String hash, @Nullable Set<Scope> scopes) {
        database.writer()
                .write(
                        transaction -> {
                            TenantStore.insert(transaction, key.tenant(), key.createdAt());
                            return insertKey(transaction, key, hash, scopes);
                        });
    }

    /** Inserts a new tenant and its first key, which has all scopes. */
    void insertTenant(ApiKeyRow first, String hash) {
        database.writer()
                .write(
                        transaction -> {
                            if (!TenantStore.insert(
                                    transaction, first.tenant(), first.createdAt())) {
                                throw new ApiException(
                                        ErrorCode.TENANT_EXISTS,
                                        "The tenant \"%s\" already exists; choose another name, or create a key for it with POST /api/internal/api-keys"
                                                .formatted(first.tenant()));
                            }
                            return insertKey(transaction, first, hash, null);
                        });
    }

    private static int insertKey(
            Transaction transaction, ApiKeyRow key, String hash, @Nullable Set<Scope> scopes) {
        var handle = transaction.handle();
        handle.createUpdate(DELETE_REVOKED)
                .bind("tenant", key.tenant().value())
                .bind("before", key.createdAt() - REVOKED_RETENTION.toMillis())
                .execute();
        long count =
                handle.createQuery(COUNT_OF_TENANT)
                        .bind("tenant", key.tenant().value())
                        .mapTo(Long.class)
                        .one();
        if (count >= MAX_KEYS) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "The tenant has the maximum of %,d API keys; revoke some first"
                            .formatted(count));
        }
        return handle.createUpdate(INSERT)
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
     * Revokes a key; returns false if the tenant has no such key. Rejects the last valid admin key
     * of a tenant, unless {@code hasOther}: without one, no more keys can be created.
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
                                            .createUpdate(REVOKE)
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
                .createQuery(VALID_ADMINS)
                .bind("now", now)
                .bind("tenant", tenant.value())
                .mapTo(String.class)
                .list()
                .equals(List.of(id));
    }

    /** Stores the time of the last use of each key id. */
    void storeLastUses(Map<String, Long> lastUses) {
        database.writer()
                .execute(
                        transaction ->
                                lastUses.forEach(
                                        (id, at) ->
                                                transaction
                                                        .handle()
                                                        .createUpdate(SET_LAST_USE)
                                                        .bind("id", id)
                                                        .bind("at", at)
                                                        .execute()));
    }

    private static ApiKeyRow row(ResultSet rows) throws SQLException {
        return new ApiKeyRow(
                rows.getString("id"),
                new TenantId(rows.getString("tenant_id")),
                rows.getString("label"),
                rows.getString("key_prefix"),
                rows.getLong("created_at"),
                scopes(rows.getString("scopes")),
                Columns.nullableLong(rows, "expires_at"),
                Columns.nullableLong(rows, "last_used_at"));
    }

    /** Unknown scope names grant nothing. */
    private static Set<Scope> scopes(@Nullable String names) {
        return names == null
                ? Scope.ALL
                : Scope.included(
                        Stream.of(names.split(",", -1))
                                .flatMap(name -> Scope.ofWire(name).stream())
                                .toList());
    }
}
