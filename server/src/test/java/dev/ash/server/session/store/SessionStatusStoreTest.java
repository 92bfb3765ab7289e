package dev.ash.server.session.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.server.store.StoreContract;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@StoreContract.Covers(SessionStatusStore.class)
class SessionStatusStoreTest extends StoreContract {
    private static final List<StatusChange> CHANGES =
            List.of(
                    StatusChange.started(SessionStatus.PAUSED),
                    StatusChange.resumed(),
                    StatusChange.retried(),
                    StatusChange.pausedByClient(),
                    StatusChange.pausedByServer(),
                    StatusChange.copied(),
                    StatusChange.stopped(),
                    StatusChange.failed(TEXT),
                    StatusChange.sandboxLost(TEXT),
                    StatusChange.ended());

    private final SessionId id = SessionId.random();
    private SessionStatusStore store;

    @BeforeEach
    void create() {
        store =
                new SessionStatusStore(
                        database, Clock.fixed(Instant.ofEpochMilli(LATE), ZoneOffset.UTC));
    }

    private void insert(SessionId session, SessionStatus status) {
        insertSession(TENANT, session, SandboxId.random(), "agent", status.wire());
    }

    /** Returns the only session, without its sealed settings: arrays compare by identity. */
    private Map<String, Object> row() {
        var row = new HashMap<>(row("sessions"));
        row.remove("settings");
        return row;
    }

    @Test
    void storesEveryColumn() {
        insert(id, SessionStatus.ACTIVE);

        assertThat(store.change(id, StatusChange.pausedByServer())).isTrue();
        assertThat(row())
                .containsEntry("status", "paused")
                .containsEntry("paused_by", "server")
                .containsEntry("error", null)
                .containsEntry("last_active_at", LATE)
                .containsEntry("ended_at", null);

        assertThat(store.change(id, StatusChange.failed(TEXT))).isTrue();
        assertThat(row())
                .containsEntry("status", "error")
                .containsEntry("paused_by", null)
                .containsEntry("error", TEXT)
                .containsEntry("ended_at", null);

        assertThat(store.change(id, StatusChange.ended())).isTrue();
        assertThat(row())
                .containsEntry("status", "ended")
                .containsEntry("error", null)
                .containsEntry("ended_at", LATE);
    }

    @Test
    void storesTimeOfTransaction() {
        insert(id, SessionStatus.ACTIVE);

        write(transaction -> store.change(transaction, id, StatusChange.ended(), LATE - 1));

        assertThat(row())
                .containsEntry("last_active_at", LATE - 1)
                .containsEntry("ended_at", LATE - 1);
    }

    @ParameterizedTest
    @EnumSource
    void changesNothingUnlessStatusIsExpected(SessionStatus status) {
        insert(id, status);
        for (var change : CHANGES) {
            update("UPDATE sessions SET status = ?, ended_at = NULL", status.wire());
            var before = row();

            boolean changed = store.change(id, change);

            assertThat(changed).as("%s", change).isEqualTo(change.from().contains(status));
            if (changed) {
                assertThat(row()).containsEntry("status", change.to().wire());
            } else {
                assertThat(row()).isEqualTo(before);
            }
        }
    }

    @Test
    void changesOnlyOneSession() {
        insert(id, SessionStatus.ACTIVE);
        var other = SessionId.random();
        insert(other, SessionStatus.ACTIVE);

        assertThat(store.change(id, StatusChange.ended())).isTrue();
        assertThat(store.change(SessionId.random(), StatusChange.ended())).isFalse();

        assertThat(count("sessions WHERE status = 'active'")).isEqualTo(1);
    }

    @Test
    void oneOfTwoConcurrentChangesWins() {
        insert(id, SessionStatus.ACTIVE);
        var changes = List.of(StatusChange.pausedByClient(), StatusChange.pausedByServer());

        var won = concurrently(2, i -> () -> store.change(id, changes.get(i)));

        assertThat(won).containsExactlyInAnyOrder(true, false);
        var winner = changes.get(won.indexOf(true));
        assertThat(row()).containsEntry("paused_by", winner.pausedBy().wire());
    }

    @Test
    void endWinsOverConcurrentChangesAndIsFinal() {
        insert(id, SessionStatus.PAUSED);

        var ended =
                concurrently(
                        10,
                        i ->
                                () ->
                                        store.change(
                                                        id,
                                                        i % 2 == 0
                                                                ? StatusChange.ended()
                                                                : StatusChange.resumed())
                                                && i % 2 == 0);

        assertThat(ended.stream().filter(one -> one)).hasSize(1);
        assertThat(row()).containsEntry("status", "ended");
    }

    @Test
    void runsOtherStatementsInTheSameTransaction() {
        insert(id, SessionStatus.ACTIVE);

        assertThat(
                        store.change(
                                id,
                                StatusChange.ended(),
                                transaction ->
                                        transaction
                                                .handle()
                                                .execute("UPDATE sessions SET model = 'm'")))
                .isTrue();
        assertThat(row()).containsEntry("model", "m").containsEntry("status", "ended");
    }

    @Test
    void failedStatementKeepsStatus() {
        insert(id, SessionStatus.ACTIVE);
        var before = row();

        assertThatThrownBy(
                        () ->
                                store.change(
                                        id,
                                        StatusChange.ended(),
                                        transaction -> {
                                            transaction
                                                    .handle()
                                                    .execute("UPDATE sessions SET model = 'm'");
                                            throw new ApiException(ErrorCode.INTERNAL, "failed");
                                        }))
                .isInstanceOf(ApiException.class);

        assertThat(row()).isEqualTo(before);
    }

    @Test
    void rollbackKeepsStatus() {
        insert(id, SessionStatus.ACTIVE);
        var before = row();

        rollBack(transaction -> store.change(transaction, id, StatusChange.ended(), 1));

        assertThat(row()).isEqualTo(before);
    }
}
