package dev.ash.server.tenant;

import dev.ash.protocol.TenantId;
import dev.ash.server.store.Database;
import java.util.Optional;

/** Rows of API keys: hashes, never the keys. */
final class ApiKeyStore {
    private final Database database;

    ApiKeyStore(Database database) {
        this.database = database;
    }

    record Row(String id, TenantId tenant) {}

    boolean isEmpty() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT count(*) FROM api_keys").mapTo(Long.class).one()
                                == 0);
    }

    Optional<Row> find(String hash) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT id, tenant_id FROM api_keys WHERE key_hash = :hash")
                                .bind("hash", hash)
                                .map(
                                        (rows, _) ->
                                                new Row(
                                                        rows.getString("id"),
                                                        new TenantId(rows.getString("tenant_id"))))
                                .findOne());
    }

    void insert(String id, TenantId tenant, String hash, String prefix, String label, long now) {
        database.writer()
                .write(
                        transaction -> {
                            transaction
                                    .handle()
                                    .createUpdate(
                                            "INSERT INTO tenants (id, created_at) VALUES (:id, :now)"
                                                    + " ON CONFLICT (id) DO NOTHING")
                                    .bind("id", tenant.value())
                                    .bind("now", now)
                                    .execute();
                            return transaction
                                    .handle()
                                    .createUpdate(
                                            "INSERT INTO api_keys (id, tenant_id, key_hash,"
                                                    + " key_prefix, label, created_at) VALUES (:id,"
                                                    + " :tenant, :hash, :prefix, :label, :now)")
                                    .bind("id", id)
                                    .bind("tenant", tenant.value())
                                    .bind("hash", hash)
                                    .bind("prefix", prefix)
                                    .bind("label", label)
                                    .bind("now", now)
                                    .execute();
                        });
    }
}
