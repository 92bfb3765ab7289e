package dev.ash.server.spending;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.spending.SpendingStore.Balance;
import dev.ash.server.spending.SpendingStore.Call;
import dev.ash.server.spending.SpendingStore.Leftover;
import dev.ash.server.store.StoreContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(SpendingStore.class)
class SpendingStoreTest extends StoreContract {
    private final SessionId session = SessionId.random();
    private final SpendingStore store = new SpendingStore();

    @BeforeEach
    void insert() {
        insertSession(TENANT, session);
    }

    private static ModelUsage usage(long input, long output, double costUsd) {
        return new ModelUsage("", input, 0, 0, output, costUsd, true, false);
    }

    private static Call call(String id, SessionId of, ModelUsage estimate) {
        return new Call(id, of, estimate, "2030-01-31", LATE);
    }

    private boolean reserve(
            String id, ModelUsage estimate, @Nullable Long maxMicroUsd, @Nullable Long maxTokens) {
        var call = call(id, session, estimate);
        return database.writer()
                .write(transaction -> store.reserve(transaction, call, maxMicroUsd, maxTokens));
    }

    private boolean remove(String id) {
        return database.writer().write(transaction -> store.remove(transaction, id));
    }

    private void charge(ModelUsage usage) {
        write(transaction -> store.charge(transaction, session, usage));
    }

    private Balance balance(SessionId of) {
        return database.writer().write(transaction -> store.balance(transaction, of));
    }

    @Test
    void storesEveryColumn() {
        assertThat(reserve(TEXT, usage(LATE, 2, 0.25), null, null)).isTrue();

        assertThat(row("reservations"))
                .containsEntry("id", TEXT)
                .containsEntry("tenant_id", TENANT.value())
                .containsEntry("agent_name", "agent")
                .containsEntry("session_id", session.value())
                .containsEntry("day", "2030-01-31")
                .containsEntry("server_id", "local")
                .containsEntry("input_tokens", LATE)
                .containsEntry("output_tokens", 2)
                .containsEntry("cost_micro_usd", 250_000)
                .containsEntry("created_at", LATE);
    }

    @Test
    void chargesEachKindOfToken() {
        insertSession(OTHER_TENANT, SessionId.random());
        charge(new ModelUsage("", LATE, 2, 3, 4, 0.5, true, true));
        charge(new ModelUsage("", 1, 1, 1, 1, 0.25, true, true));

        assertThat(row("sessions WHERE id = '%s'".formatted(session)))
                .containsEntry("input_tokens", LATE + 1)
                .containsEntry("cache_creation_tokens", 3)
                .containsEntry("cache_read_tokens", 4)
                .containsEntry("output_tokens", 5)
                .containsEntry("cost_micro_usd", 750_000);
        assertThat(balance(session)).isEqualTo(new Balance(750_000, LATE + 13, 0, 0, 0));
        assertThat(count("sessions WHERE cost_micro_usd = 0")).isEqualTo(1);
    }

    @Test
    void admitsCallsWhileCostAndReservationsAreBelowLimit() {
        charge(usage(1, 1, 0.4));
        assertThat(reserve("1", usage(1, 1, 0.5), 1_000_000L, null)).isTrue();
        assertThat(reserve("2", usage(1, 1, 5), 1_000_000L, null)).isTrue();

        assertThat(reserve("3", usage(1, 1, 0), 1_000_000L, null)).isFalse();
        assertThat(reserve("3", usage(1, 1, 0), 5_900_000L, null))
                .as("reaches the limit")
                .isFalse();
        assertThat(reserve("3", usage(1, 1, 0), 5_900_001L, null)).isTrue();
        assertThat(balance(session)).isEqualTo(new Balance(400_000, 2, 5_500_000, 6, 3));
    }

    @Test
    void admitsCallsWhileTokensAndReservationsAreBelowLimit() {
        charge(new ModelUsage("", 1, 2, 3, 4, 9, true, true));
        assertThat(reserve("1", usage(20, 30, 9), null, 11L)).isTrue();

        assertThat(reserve("2", usage(1, 1, 9), null, 60L)).isFalse();
        assertThat(reserve("2", usage(1, 1, 9), 1L, 61L)).as("exceeds the cost limit").isFalse();
        assertThat(reserve("2", usage(1, 1, 9), null, 61L)).isTrue();
    }

    @Test
    void ignoresReservationsOfOtherSessions() {
        var other = SessionId.random();
        insertSession(TENANT, other);
        var call = call("1", other, usage(9, 9, 9));
        write(transaction -> store.reserve(transaction, call, null, null));

        assertThat(reserve("2", usage(1, 1, 1), 1L, 1L)).isTrue();
        assertThat(balance(other)).isEqualTo(new Balance(0, 0, 9_000_000, 18, 1));
    }

    @Test
    void concurrentCallsDoNotExceedLimit() {
        var admitted =
                concurrently(10, i -> () -> reserve("call " + i, usage(1, 0, 0.1), 300_000L, null));

        assertThat(admitted.stream().filter(one -> one)).hasSize(3);
        assertThat(count("reservations")).isEqualTo(3);
    }

    @Test
    void rejectsCallsOfUnknownSession() {
        var unknown = SessionId.random();
        var call = call("1", unknown, usage(1, 1, 1));

        boolean admitted =
                database.writer()
                        .write(transaction -> store.reserve(transaction, call, null, null));

        assertThat(admitted).isFalse();
        assertThat(balance(unknown)).isEqualTo(new Balance(0, 0, 0, 0, 0));
    }

    @Test
    void removesReservationOnce() {
        reserve(TEXT, usage(1, 1, 1), null, null);
        reserve("other", usage(1, 1, 1), null, null);

        assertThat(remove(TEXT)).isTrue();
        assertThat(remove(TEXT)).isFalse();

        assertThat(row("reservations")).containsEntry("id", "other");
    }

    @Test
    void findsReservationsOfThisServer() {
        reserve("mine", usage(LATE, 2, 0.25), null, null);
        reserve("other", usage(1, 1, 1), null, null);
        update("UPDATE reservations SET server_id = 'remote' WHERE id = 'other'");

        assertThat(database.writer().write(store::leftovers))
                .containsExactly(new Leftover("mine", session, usage(LATE, 2, 0.25)));
    }

    @Test
    void roundsCostsUp() {
        assertThat(SpendingStore.micros(0)).isZero();
        assertThat(SpendingStore.micros(0.000_000_1)).isEqualTo(1);
        assertThat(SpendingStore.micros(0.000_001)).isEqualTo(1);
        assertThat(SpendingStore.micros(0.1 + 0.2))
                .as("rounding error of doubles")
                .isEqualTo(300_000);
    }

    @Test
    void rollbackLeavesNoChanges() {
        reserve("1", usage(1, 1, 1), null, null);

        rollBack(
                transaction -> {
                    store.reserve(transaction, call("2", session, usage(1, 1, 1)), null, null);
                    store.remove(transaction, "1");
                    store.charge(transaction, session, usage(1, 1, 1));
                });

        assertThat(row("reservations")).containsEntry("id", "1");
        assertThat(balance(session)).isEqualTo(new Balance(0, 0, 1_000_000, 2, 1));
    }
}
