package dev.ash.server.device;

import dev.ash.protocol.TenantId;
import dev.ash.server.store.Columns;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores devices. No query returns a revoked device. */
final class DeviceStore {
    private static final String DELETE_UNUSED =
            """
            DELETE FROM devices
            WHERE paired_at IS NULL
              AND expires_at < :now
            """;

    private static final String INSERT =
            """
            INSERT INTO devices
              (id, tenant_id, name, platform, token_hash, expires_at, created_at, scopes, token_expires_at)
            VALUES
              (:id, :tenant, :name, :platform, :hash, :expires, :created, :scopes, :tokenExpires)
            """;

    private static final String LIST =
            """
            SELECT *
            FROM devices
            WHERE tenant_id = :tenant
              AND revoked_at IS NULL
            ORDER BY created_at, id
            """;

    private static final String IS_ANY =
            """
            SELECT EXISTS (
              SELECT 1
              FROM devices
              WHERE revoked_at IS NULL
            )
            """;

    private static final String FIND_BY_TOKEN =
            """
            SELECT *
            FROM devices
            WHERE token_hash = :value
              AND revoked_at IS NULL
            """;

    private static final String FIND_BY_ID =
            """
            SELECT *
            FROM devices
            WHERE id = :value
              AND revoked_at IS NULL
            """;

    private static final String FIND_VALID =
            """
            SELECT id
            FROM devices
            WHERE revoked_at IS NULL
              AND (token_expires_at IS NULL OR token_expires_at > :now)
              AND id IN (<ids>)
            """;

    private static final String PAIR =
            """
            UPDATE devices
            SET token_hash = :hash,
                platform = :platform,
                paired_at = :now,
                last_seen_at = :now,
                expires_at = NULL
            WHERE id = :id
              AND paired_at IS NULL
              AND revoked_at IS NULL
              AND expires_at >= :now
            """;

    private static final String SET_LAST_SEEN =
            """
            UPDATE devices
            SET last_seen_at = :now
            WHERE id = :id
            """;

    private static final String SET_ACKNOWLEDGED =
            """
            UPDATE devices
            SET acknowledged_at = :now
            WHERE id = :id
            """;

    private static final String REVOKE =
            """
            UPDATE devices
            SET revoked_at = :now
            WHERE id = :id
              AND tenant_id = :tenant
              AND revoked_at IS NULL
            """;

    private static final String DELETE_CURSORS =
            """
            DELETE FROM device_cursors
            WHERE device_id = :id
            """;

    private static final String DELETE_REQUESTS =
            """
            DELETE FROM device_requests
            WHERE device_id = :id
            """;

    private static final String DELETE_NOTIFICATIONS =
            """
            DELETE FROM notifications
            WHERE device_id = :id
            """;

    private final Database database;

    DeviceStore(Database database) {
        this.database = database;
    }

    /** Inserts a device, and deletes devices whose pairing tokens have expired unused. */
    void insert(Device device, byte[] tokenHash) {
        database.writer()
                .write(
                        transaction -> {
                            transaction
                                    .handle()
                                    .createUpdate(DELETE_UNUSED)
                                    .bind("now", device.createdAt())
                                    .execute();
                            return transaction
                                    .handle()
                                    .createUpdate(INSERT)
                                    .bind("id", device.id())
                                    .bind("tenant", device.tenant().value())
                                    .bind("name", device.name())
                                    .bind("platform", device.platform())
                                    .bind("hash", tokenHash)
                                    .bind("expires", device.expiresAt())
                                    .bind("created", device.createdAt())
                                    .bind("scopes", DeviceScopes.toColumn(device.scopes()))
                                    .bind("tokenExpires", device.tokenExpiresAt())
                                    .execute();
                        });
    }

    boolean isAny() {
        return database.read(h -> h.createQuery(IS_ANY).mapTo(Boolean.class).one());
    }

    List<Device> list(TenantId tenant) {
        return database.read(
                handle ->
                        handle.createQuery(LIST)
                                .bind("tenant", tenant.value())
                                .map(rows -> device(rows))
                                .list());
    }

    Optional<Device> findByToken(byte[] hash) {
        return find(FIND_BY_TOKEN, hash);
    }

    Optional<Device> findById(String id) {
        return find(FIND_BY_ID, id);
    }

    /** Returns those of {@code ids} that are not revoked and whose device token has not expired. */
    List<String> findValid(Set<String> ids, long now) {
        return database.read(
                handle ->
                        handle.createQuery(FIND_VALID)
                                .bind("now", now)
                                .bindList("ids", List.copyOf(ids))
                                .mapTo(String.class)
                                .list());
    }

    private Optional<Device> find(String query, Object value) {
        return database.read(
                handle ->
                        handle.createQuery(query)
                                .bind("value", value)
                                .map(rows -> device(rows))
                                .findOne());
    }

    /**
     * Marks a device as paired and sets its token. Returns false if it is already paired, revoked
     * or its pairing token has expired.
     */
    boolean pair(String id, byte[] hash, @Nullable String platform, long now) {
        return change(
                transaction ->
                        transaction
                                .handle()
                                .createUpdate(PAIR)
                                .bind("hash", hash)
                                .bind("platform", platform)
                                .bind("now", now)
                                .bind("id", id)
                                .execute());
    }

    void setLastSeen(String id, long now) {
        set(SET_LAST_SEEN, id, now);
    }

    void setAcknowledged(String id, long now) {
        set(SET_ACKNOWLEDGED, id, now);
    }

    private void set(String update, String id, long now) {
        change(
                transaction ->
                        transaction
                                .handle()
                                .createUpdate(update)
                                .bind("now", now)
                                .bind("id", id)
                                .execute());
    }

    /**
     * Revokes a device and deletes its cursors, requests and notifications. Returns false if the
     * tenant has no such device.
     */
    boolean revoke(TenantId tenant, String id, long now) {
        return change(
                transaction -> {
                    int revoked =
                            transaction
                                    .handle()
                                    .createUpdate(REVOKE)
                                    .bind("now", now)
                                    .bind("id", id)
                                    .bind("tenant", tenant.value())
                                    .execute();
                    if (revoked > 0) {
                        deleteData(transaction, id);
                    }
                    return revoked;
                });
    }

    private static void deleteData(Transaction transaction, String id) {
        for (var delete : List.of(DELETE_CURSORS, DELETE_REQUESTS, DELETE_NOTIFICATIONS)) {
            transaction.handle().createUpdate(delete).bind("id", id).execute();
        }
    }

    private interface Change {
        int run(Transaction transaction);
    }

    private boolean change(Change change) {
        return database.writer().write(change::run) > 0;
    }

    private static Device device(ResultSet rows) throws SQLException {
        return new Device(
                rows.getString("id"),
                new TenantId(rows.getString("tenant_id")),
                rows.getString("name"),
                rows.getString("platform"),
                rows.getLong("created_at"),
                Columns.nullableLong(rows, "expires_at"),
                Columns.nullableLong(rows, "paired_at"),
                Columns.nullableLong(rows, "last_seen_at"),
                Columns.nullableLong(rows, "acknowledged_at"),
                DeviceScopes.fromColumn(rows.getString("scopes")),
                Columns.nullableLong(rows, "token_expires_at"));
    }
}
