package dev.ash.server.session.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.server.session.store.IdempotencyKeyStore.StoredResult;
import dev.ash.server.store.StoreContract;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(IdempotencyKeyStore.class)
class IdempotencyKeyStoreTest extends StoreContract {
    private static final IdempotencyKey KEY = new IdempotencyKey(TEXT, "hash " + TEXT);

    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();
    private IdempotencyKeyStore store;

    @BeforeEach
    void create() {
        store = new IdempotencyKeyStore(database);
    }

    private void insert(TenantId tenant, IdempotencyKey key, @Nullable TurnId created, long now) {
        write(transaction -> store.insert(transaction, tenant, key, session, created, now));
    }

    private static void assertRejected(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void readsStoredResults() {
        insert(TENANT, KEY, turn, LATE);
        var withoutTurn = new IdempotencyKey("key", "hash");
        insert(TENANT, withoutTurn, null, 0);

        assertThat(store.find(TENANT, KEY))
                .contains(new StoredResult(session, turn, KEY.bodyHash()));
        assertThat(store.find(TENANT, withoutTurn))
                .contains(new StoredResult(session, null, "hash"));
    }

    @Test
    void storesTime() {
        insert(TENANT, KEY, null, LATE);

        assertThat(row("idempotency_keys")).containsEntry("created_at", LATE);
    }

    @Test
    void separatesKeysOfTenants() {
        insert(TENANT, KEY, turn, 0);

        assertThat(store.find(OTHER_TENANT, KEY)).isEmpty();
        insert(OTHER_TENANT, KEY, null, 0);
        assertThat(store.find(TENANT, KEY)).map(StoredResult::turn).contains(turn);
    }

    @Test
    void rejectsKeyOfDifferentRequest() {
        insert(TENANT, KEY, turn, 0);

        assertRejected(
                ErrorCode.IDEMPOTENCY_MISMATCH,
                () -> store.find(TENANT, new IdempotencyKey(KEY.key(), "other")));
    }

    @Test
    void rejectsSecondRequestWithSameKeyAndRollsBackItsStatements() {
        insert(TENANT, KEY, turn, 0);

        assertRejected(
                ErrorCode.SESSION_BUSY,
                () ->
                        write(
                                transaction -> {
                                    transaction
                                            .handle()
                                            .execute("UPDATE idempotency_keys SET created_at = 9");
                                    store.insert(
                                            transaction, TENANT, KEY, SessionId.random(), null, 1);
                                }));

        assertThat(row("idempotency_keys")).containsEntry("created_at", 0);
        assertThat(store.find(TENANT, KEY)).map(StoredResult::session).contains(session);
    }

    @Test
    void acceptsOneOfManyConcurrentRequests() {
        var first =
                concurrently(
                        10,
                        i ->
                                () -> {
                                    try {
                                        insert(TENANT, KEY, turn, i);
                                        return true;
                                    } catch (ApiException e) {
                                        return false;
                                    }
                                });

        assertThat(first.stream().filter(one -> one)).hasSize(1);
        assertThat(row("idempotency_keys")).containsEntry("created_at", first.indexOf(true));
    }

    @Test
    void deletesExpiredKeysInBatches() {
        long now = LATE;
        long oldest = now - IdempotencyKeyStore.RETENTION.toMillis();
        write(
                transaction -> {
                    for (int i = 0; i < 1001; i++) {
                        var key = new IdempotencyKey("old " + i, "hash");
                        store.insert(transaction, TENANT, key, session, null, oldest - 1);
                    }
                });
        insert(TENANT, KEY, turn, oldest);

        store.deleteExpired(now);

        assertThat(count("idempotency_keys")).isEqualTo(1);
        assertThat(store.find(TENANT, KEY)).isPresent();
    }

    @Test
    void rollbackStoresNothing() {
        rollBack(transaction -> store.insert(transaction, TENANT, KEY, session, turn, 0));

        assertThat(count("idempotency_keys")).isZero();
    }
}
