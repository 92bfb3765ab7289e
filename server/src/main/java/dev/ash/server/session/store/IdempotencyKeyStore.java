package dev.ash.server.session.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores the results of requests with an {@code Idempotency-Key}, which retries return. */
public final class IdempotencyKeyStore {
    public static final Duration RETENTION = Duration.ofHours(24);

    private static final int BATCH = 500;

    private static final String FIND =
            """
            SELECT session_id, turn_id, body_hash
            FROM idempotency_keys
            WHERE tenant_id = :tenant
              AND key = :key
            """;

    private static final String INSERT =
            """
            INSERT INTO idempotency_keys (tenant_id, key, body_hash, session_id, turn_id, created_at)
            VALUES (:tenant, :key, :hash, :session, :turn, :now)
            """;

    private static final String DELETE_EXPIRED =
            """
            DELETE FROM idempotency_keys
            WHERE rowid IN (
              SELECT rowid
              FROM idempotency_keys
              WHERE created_at < :before
              LIMIT :batch
            )
            """;

    private final Database database;

    public IdempotencyKeyStore(Database database) {
        this.database = database;
    }

    /** The session or turn that a request with a key created. */
    public record StoredResult(SessionId session, @Nullable TurnId turn, String bodyHash) {}

    /** Returns the result of an earlier request with this key; throws if that was different. */
    public Optional<StoredResult> find(TenantId tenant, IdempotencyKey key) {
        var result = database.read(handle -> find(handle, tenant, key));
        if (result.isPresent() && !result.get().bodyHash().equals(key.bodyHash())) {
            throw IdempotencyKey.mismatch();
        }
        return result;
    }

    private static Optional<StoredResult> find(Handle handle, TenantId tenant, IdempotencyKey key) {
        return handle.createQuery(FIND)
                .bind("tenant", tenant.value())
                .bind("key", key.key())
                .map(
                        rows ->
                                new StoredResult(
                                        new SessionId(rows.getString("session_id")),
                                        Optional.ofNullable(rows.getString("turn_id"))
                                                .map(TurnId::new)
                                                .orElse(null),
                                        rows.getString("body_hash")))
                .findOne();
    }

    /** Throws, which rolls back the unit of work, if a concurrent request used this key first. */
    public void insert(
            Transaction transaction,
            TenantId tenant,
            IdempotencyKey key,
            SessionId session,
            @Nullable TurnId turn,
            long now) {
        if (find(transaction.handle(), tenant, key).isPresent()) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY, "Another request with this Idempotency-Key was faster");
        }
        transaction
                .handle()
                .createUpdate(INSERT)
                .bind("tenant", tenant.value())
                .bind("key", key.key())
                .bind("hash", key.bodyHash())
                .bind("session", session.value())
                .bind("turn", turn == null ? null : turn.value())
                .bind("now", now)
                .execute();
    }

    /** Deletes expired keys in batches. */
    public void deleteExpired(long now) {
        while (deleteExpiredBatch(now) == BATCH) {}
    }

    private int deleteExpiredBatch(long now) {
        return database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE_EXPIRED)
                                        .bind("before", now - RETENTION.toMillis())
                                        .bind("batch", BATCH)
                                        .execute());
    }
}
