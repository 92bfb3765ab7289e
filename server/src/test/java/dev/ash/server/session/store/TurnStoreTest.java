package dev.ash.server.session.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.session.store.TurnStore.OpenTurn;
import dev.ash.server.session.store.TurnStore.Status;
import dev.ash.server.store.StoreContract;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@StoreContract.Covers(TurnSql.class)
class TurnStoreTest extends StoreContract {
    private static final TurnOptions OPTIONS =
            new TurnOptions(
                    true,
                    TEXT,
                    Integer.MAX_VALUE,
                    1.25,
                    "high",
                    RawJson.of("{\"text\":\"🦊\"}"),
                    RawJson.of("{}"));

    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();
    private final BridgeCommand.Query query = query(turn);
    private TurnStore store;

    @BeforeEach
    void create() {
        store = new TurnStore(database, Clock.fixed(Instant.ofEpochMilli(LATE), ZoneOffset.UTC));
    }

    private BridgeCommand.Query query(TurnId of) {
        return new BridgeCommand.Query(RawJson.string(TEXT), session.value(), of.value(), OPTIONS);
    }

    private TurnId begin(TurnId id) {
        write(transaction -> store.begin(transaction, session, id, query(id), 1));
        return id;
    }

    private TurnId enqueue(TurnId id) {
        store.enqueue(session, id, query(id), (_, _) -> {});
        return id;
    }

    private TurnId beginEngineTurn(TurnId id) {
        write(transaction -> store.beginEngineTurn(transaction, session, id, 1));
        return id;
    }

    private void end(TurnId id, Status status) {
        write(transaction -> store.markEnded(transaction, id, status, 9));
    }

    private Optional<TurnId> running(SessionId of) {
        return database.writer().write(transaction -> store.running(transaction, of));
    }

    private Map<String, Object> row() {
        return row("turns");
    }

    private void insertPrompt(SessionId of, long seq, String type, TurnId ofTurn, String content) {
        update(
                """
                INSERT INTO events (session_id, seq, type, turn_id, data, created_at)
                VALUES (?, ?, ?, ?, ?, 0)
                """,
                of.value(),
                seq,
                type,
                ofTurn.value(),
                bytes("{\"type\":\"user\",\"content\":\"%s\"}".formatted(content)));
    }

    @Test
    void storesEveryColumn() {
        write(transaction -> store.begin(transaction, session, turn, query, LATE));

        assertThat(row())
                .containsEntry("id", turn.value())
                .containsEntry("session_id", session.value())
                .containsEntry("origin", "client")
                .containsEntry("status", "running")
                .containsEntry("started_at", LATE)
                .containsEntry("ended_at", null)
                .containsEntry("place", 1);
        assertThat((byte[]) row().get("query")).isEqualTo(BridgeProtocol.encode(query).toBytes());
        assertThat(store.query(turn)).contains(query);
        assertThat(store.queryBytes(turn)).isEqualTo(BridgeProtocol.encode(query).length());
    }

    @Test
    void engineTurnHasNoCommand() {
        beginEngineTurn(turn);

        assertThat(row()).containsEntry("origin", "engine").containsEntry("query", null);
        assertThat(store.query(turn)).isEmpty();
        assertThat(store.queryBytes(turn)).isZero();
        assertThat(store.open(session)).containsExactly(new OpenTurn(turn, Status.RUNNING, false));
    }

    @Test
    void unknownTurnHasNoCommand() {
        assertThat(store.query(turn)).isEmpty();
        assertThat(store.queryBytes(turn)).isZero();
    }

    @Test
    void storesTurnOnce() {
        begin(turn);
        beginEngineTurn(turn);

        assertThat(row()).containsEntry("origin", "client");
    }

    @Test
    void rejectsEngineTurnWithIdOfAnotherSession() {
        begin(turn);

        assertThatThrownBy(
                        () ->
                                write(
                                        transaction ->
                                                store.beginEngineTurn(
                                                        transaction, SessionId.random(), turn, 1)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("another session");
    }

    @Test
    void enqueuesTogetherWithOtherStatements() {
        insertSession(TENANT, session);

        store.enqueue(
                session,
                turn,
                query,
                (transaction, now) ->
                        transaction.handle().execute("UPDATE sessions SET created_at = ?", now));

        assertThat(row()).containsEntry("status", "queued").containsEntry("started_at", LATE);
        assertThat(row("sessions")).containsEntry("created_at", LATE);
    }

    @Test
    void failedStatementEnqueuesNothing() {
        assertThatThrownBy(
                        () ->
                                store.enqueue(
                                        session,
                                        turn,
                                        query,
                                        (_, _) -> {
                                            throw new ApiException(ErrorCode.INTERNAL, "failed");
                                        }))
                .isInstanceOf(ApiException.class);

        assertThat(count("turns")).isZero();
    }

    @Test
    void keepsOrderOfConcurrentTurns() {
        concurrently(10, _ -> () -> enqueue(TurnId.random()));
        store.enqueue(SessionId.random(), turn, query, (_, _) -> {});

        assertThat(store.open(session)).hasSize(10).allMatch(OpenTurn::hasQuery);
        assertThat(count("turns WHERE place BETWEEN 1 AND 10")).isEqualTo(11);
        var places =
                database.read(
                        handle ->
                                handle.createQuery("SELECT place FROM turns WHERE session_id = :id")
                                        .bind("id", session.value())
                                        .mapTo(Integer.class)
                                        .list());
        assertThat(places).doesNotHaveDuplicates();
        assertThat(row("turns WHERE id = '%s'".formatted(turn))).containsEntry("place", 1);
    }

    @Test
    void readsPromptOfStartedTurnFromLog() {
        enqueue(turn);

        write(transaction -> store.beginQueued(transaction, turn, query, LATE));
        insertPrompt(session, 1, "prompt", turn, "earlier");
        insertPrompt(session, 2, "prompt", turn, "latest");
        insertPrompt(session, 3, "message", turn, "no prompt");
        insertPrompt(session, 4, "prompt", TurnId.random(), "other turn");
        insertPrompt(SessionId.random(), 5, "prompt", turn, "other session");

        assertThat(row()).containsEntry("status", "running").containsEntry("started_at", LATE);
        assertThat(new String((byte[]) row().get("query"), StandardCharsets.UTF_8))
                .contains("\"prompt\":\"\"");
        assertThat(store.query(turn))
                .contains(
                        new BridgeCommand.Query(
                                RawJson.string("latest"), session.value(), turn.value(), OPTIONS));
    }

    @Test
    void defersTurnsTogetherWithOtherStatementsAndContinuesThem() {
        var second = begin(TurnId.random());
        begin(turn);
        insertSession(TENANT, session);

        store.defer(
                List.of(turn, second),
                transaction -> transaction.handle().execute("UPDATE sessions SET model = 'm'"));

        assertThat(row("sessions")).containsEntry("model", "m");
        assertThat(store.open(session))
                .containsExactly(
                        new OpenTurn(second, Status.DEFERRED, true),
                        new OpenTurn(turn, Status.DEFERRED, true));
        assertThat(count("turns WHERE started_at = " + LATE)).isEqualTo(2);

        store.markContinued(turn);
        assertThat(store.open(session))
                .containsExactly(
                        new OpenTurn(second, Status.DEFERRED, true),
                        new OpenTurn(turn, Status.CONTINUED, true));
    }

    @ParameterizedTest
    @EnumSource(names = {"DONE", "ERROR"})
    void endsTurnPermanentlyAndRemovesCommand(Status status) {
        begin(turn);
        end(turn, status);

        assertThat(row())
                .containsEntry("status", status.wire())
                .containsEntry("started_at", 1)
                .containsEntry("ended_at", 9);
        assertThat((byte[]) row().get("query")).isEmpty();
        assertThat(store.query(turn)).isEmpty();
        assertThat(store.queryBytes(turn)).isZero();
        assertThat(store.open(session)).isEmpty();

        store.markContinued(turn);
        store.defer(List.of(turn), _ -> {});
        write(transaction -> store.beginQueued(transaction, turn, query, LATE));
        assertThat(row())
                .containsEntry("status", status.wire())
                .containsEntry("started_at", 1)
                .containsEntry("ended_at", 9);
        assertThat((byte[]) row().get("query")).isEmpty();
    }

    @Test
    void endedEngineTurnStillHasNoCommand() {
        beginEngineTurn(turn);

        end(turn, Status.DONE);

        assertThat(row()).containsEntry("query", null).containsEntry("status", "done");
    }

    @Test
    void findsOpenTurnsOfSessionInOrder() {
        var first = begin(TurnId.random());
        end(begin(TurnId.random()), Status.DONE);
        end(begin(TurnId.random()), Status.ERROR);
        var engine = beginEngineTurn(TurnId.random());
        var queued = enqueue(TurnId.random());
        store.defer(List.of(first), _ -> {});

        assertThat(store.open(session))
                .containsExactly(
                        new OpenTurn(first, Status.DEFERRED, true),
                        new OpenTurn(engine, Status.RUNNING, false),
                        new OpenTurn(queued, Status.QUEUED, true));
        assertThat(store.open(SessionId.random())).isEmpty();
    }

    @Test
    void findsSessionsWithQueuedPrompts() {
        assertThat(store.sessionsWithQueuedTurns()).isEmpty();
        begin(TurnId.random());
        assertThat(store.hasQueued(session)).isFalse();
        enqueue(TurnId.random());
        enqueue(TurnId.random());

        assertThat(store.sessionsWithQueuedTurns()).containsExactly(session);
        assertThat(store.hasQueued(session)).isTrue();
        assertThat(store.hasQueued(SessionId.random())).isFalse();
    }

    @Test
    void findsLatestRunningTurn() {
        assertThat(running(session)).isEmpty();
        begin(turn);
        enqueue(TurnId.random());
        assertThat(running(session)).contains(turn);
        var engine = beginEngineTurn(TurnId.random());
        assertThat(running(session)).contains(engine);
        end(engine, Status.DONE);
        assertThat(running(session)).contains(turn);

        store.defer(List.of(turn), _ -> {});
        assertThat(running(session)).isEmpty();
        store.markContinued(turn);
        assertThat(running(session)).contains(turn);
        assertThat(running(SessionId.random())).isEmpty();
    }

    @Test
    void rollbackStoresNothing() {
        enqueue(turn);

        rollBack(
                transaction -> {
                    store.begin(transaction, session, TurnId.random(), query, 1);
                    store.beginQueued(transaction, turn, query, 1);
                    store.markEnded(transaction, turn, Status.DONE, 2);
                });

        assertThat(row()).containsEntry("status", "queued").containsEntry("ended_at", null);
        assertThat(store.query(turn)).contains(query);
    }
}
