package dev.ash.server.credential;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.store.Columns;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores credentials; their secrets are encrypted. */
final class CredentialStore {
    private static final String INSERT =
            """
            INSERT INTO credentials (id, tenant_id, type, label, secret, created_at)
            VALUES (:id, :tenant, :type, :label, :secret, :now)
            """;

    private static final String LIST =
            """
            SELECT *
            FROM credentials
            WHERE tenant_id = :tenant
            ORDER BY created_at, id
            """;

    private static final String SECRET =
            """
            SELECT type, secret
            FROM credentials
            WHERE tenant_id = :tenant
              AND id = :id
            """;

    private static final String SET_LAST_USE =
            """
            UPDATE credentials
            SET last_used_at = :now
            WHERE tenant_id = :tenant
              AND id = :id
            """;

    private static final String DELETE =
            """
            DELETE FROM credentials
            WHERE tenant_id = :tenant
              AND id = :id
            """;

    private final Database database;
    private final Sealer sealer;

    CredentialStore(Database database, Sealer sealer) {
        this.database = database;
        this.sealer = sealer;
    }

    record Row(
            String id,
            ModelProvider type,
            String label,
            long createdAt,
            @Nullable Long lastUsedAt) {}

    /** A decrypted secret with its type. */
    record Secret(ModelProvider type, String value) {
        @Override
        public String toString() {
            return "a secret";
        }
    }

    void insert(TenantId tenant, Row row, String secret) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(INSERT)
                                        .bind("id", row.id())
                                        .bind("tenant", tenant.value())
                                        .bind("type", row.type().wire())
                                        .bind("label", row.label())
                                        .bind(
                                                "secret",
                                                sealer.seal(
                                                        secret.getBytes(StandardCharsets.UTF_8)))
                                        .bind("now", row.createdAt())
                                        .execute());
    }

    List<Row> list(TenantId tenant) {
        return database.read(
                handle ->
                        handle.createQuery(LIST)
                                .bind("tenant", tenant.value())
                                .map(rows -> row(rows))
                                .list());
    }

    Optional<Secret> secret(TenantId tenant, String id) {
        return database.read(
                handle ->
                        handle.createQuery(SECRET)
                                .bind("tenant", tenant.value())
                                .bind("id", id)
                                .map(rows -> secret(rows))
                                .findOne());
    }

    void storeLastUse(TenantId tenant, String id, long now) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(SET_LAST_USE)
                                        .bind("now", now)
                                        .bind("tenant", tenant.value())
                                        .bind("id", id)
                                        .execute());
    }

    /** Returns false if the credential does not exist. */
    boolean delete(TenantId tenant, String id) {
        return database.writer()
                        .write(
                                transaction ->
                                        transaction
                                                .handle()
                                                .createUpdate(DELETE)
                                                .bind("tenant", tenant.value())
                                                .bind("id", id)
                                                .execute())
                > 0;
    }

    private static Row row(ResultSet rows) throws SQLException {
        return new Row(
                rows.getString("id"),
                provider(rows),
                rows.getString("label"),
                rows.getLong("created_at"),
                Columns.nullableLong(rows, "last_used_at"));
    }

    private static ModelProvider provider(ResultSet rows) throws SQLException {
        var type = rows.getString("type");
        return ModelProvider.find(type)
                .orElseThrow(() -> new IllegalStateException("a credential has the type " + type));
    }

    private Secret secret(ResultSet rows) throws SQLException {
        return new Secret(
                provider(rows),
                new String(sealer.unseal(rows.getBytes("secret")), StandardCharsets.UTF_8));
    }
}
