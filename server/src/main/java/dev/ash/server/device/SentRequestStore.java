package dev.ash.server.device;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;
import java.time.Duration;
import java.util.Optional;

/**
 * Stores executed requests until their device confirms an answer. A device that lost its connection
 * sends such a request again; it must not run a second time.
 */
public final class SentRequestStore {
    private static final System.Logger LOG = System.getLogger("ash.device");

    /** Rows of devices that never confirm anything are deleted after this time. */
    static final Duration RETENTION = Duration.ofDays(7);

    private static final String FIND_UNCONFIRMED =
            """
            SELECT id
            FROM device_requests
            WHERE device_id = :device
              AND digest = :digest
              AND connection_id <> :connection
            ORDER BY created_at, id
            LIMIT 1
            """;

    private static final String CLAIM =
            """
            UPDATE device_requests
            SET connection_id = :connection
            WHERE id = :id
            """;

    private static final String INSERT =
            """
            INSERT INTO device_requests (id, device_id, session_id, digest, connection_id, created_at)
            VALUES (:id, :device, :session, :digest, :connection, :now)
            """;

    private static final String DELETE =
            """
            DELETE FROM device_requests
            WHERE id = :id
            """;

    private static final String DELETE_CONFIRMED =
            """
            DELETE FROM device_requests
            WHERE id = :id
              AND connection_id = :connection
            """;

    private static final String DELETE_OLD =
            """
            DELETE FROM device_requests
            WHERE created_at < :old
            """;

    private final Database database;

    SentRequestStore(Database database) {
        this.database = database;
    }

    /**
     * Finds the same request from another connection and assigns it to this connection, so that
     * each stored request matches one repetition. Empty if this request is new.
     */
    public Optional<String> claim(SentRequest request) {
        return find(request).isEmpty()
                ? Optional.empty()
                : database.writer().write(transaction -> claim(transaction, request));
    }

    /** Finds the same request from another connection, without assigning it. */
    public Optional<String> find(SentRequest request) {
        return database.read(handle -> find(handle, request));
    }

    private static Optional<String> claim(Transaction transaction, SentRequest request) {
        var found = find(transaction.handle(), request);
        found.ifPresent(
                id ->
                        transaction
                                .handle()
                                .createUpdate(CLAIM)
                                .bind("connection", request.connection())
                                .bind("id", id)
                                .execute());
        return found;
    }

    private static Optional<String> find(Handle handle, SentRequest request) {
        return handle.createQuery(FIND_UNCONFIRMED)
                .bind("device", request.device())
                .bind("digest", request.digest())
                .bind("connection", request.connection())
                .mapTo(String.class)
                .findOne();
    }

    /**
     * Stores a request in the transaction that executes it.
     *
     * @throws ApiException with {@link ErrorCode#SESSION_BUSY} if another connection has sent the
     *     same request; this rolls back the transaction
     */
    public void insert(Transaction transaction, SentRequest request, String id, long now) {
        if (find(transaction.handle(), request).isPresent()) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY, "Another connection is sending this message");
        }
        transaction
                .handle()
                .createUpdate(DELETE_OLD)
                .bind("old", now - RETENTION.toMillis())
                .execute();
        transaction
                .handle()
                .createUpdate(INSERT)
                .bind("id", id)
                .bind("device", request.device())
                .bind("session", request.session().map(SessionId::value).orElse(null))
                .bind("digest", request.digest())
                .bind("connection", request.connection())
                .bind("now", now)
                .execute();
    }

    /** Stores a request in a separate transaction. */
    public void insert(SentRequest request, String id, long now) {
        database.writer()
                .write(
                        transaction -> {
                            insert(transaction, request, id, now);
                            return true;
                        });
    }

    /** Deletes a failed request, so that the device can send it again. */
    public void delete(String id) {
        database.writer().write(transaction -> delete(transaction, id));
    }

    private static int delete(Transaction transaction, String id) {
        return transaction.handle().createUpdate(DELETE).bind("id", id).execute();
    }

    /**
     * Deletes a request whose answer the device confirmed on this connection, unless another
     * connection has sent it again. Returns immediately.
     */
    public void confirm(String connection, String id) {
        database.writer()
                .submit(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE_CONFIRMED)
                                        .bind("id", id)
                                        .bind("connection", connection)
                                        .execute(),
                        _ -> {},
                        failure ->
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "A confirmed device request could not be deleted",
                                        failure));
    }
}
