package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.store.RowMap;
import dev.ash.server.store.StoreContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(LogCopyStore.class)
class LogCopyStoreTest extends StoreContract {
    private final SessionId original = SessionId.random();
    private final SessionId copy = SessionId.random();
    private final TurnId first = TurnId.random();
    private final TurnId second = TurnId.random();
    private EventStore events;
    private LogCopyStore store;

    @BeforeEach
    void create() {
        events = new EventStore(database);
        store = new LogCopyStore(database);
    }

    /** Appends the creation of a session and two turns of three events, without a done. */
    private void appendTwoTurns() {
        append(NewEvent.lifecycle(original, "created", JsonWriter.object()));
        for (var turn : List.of(first, second)) {
            insertTurn(original, turn, "done");
            append(NewEvent.prompt(original, turn, RawJson.string(TEXT)));
            append(message(turn, "assistant", "uuid of " + turn));
            append(message(turn, "result", "another"));
        }
    }

    private NewEvent message(TurnId turn, String type, String uuid) {
        var data = JsonWriter.object().put("type", type).put("uuid", uuid).end();
        return NewEvent.of(
                original,
                turn,
                EventType.MESSAGE,
                data,
                new BridgePosition("bridge", events.lastSeq(original).orElse(0)));
    }

    private void append(NewEvent event) {
        write(transaction -> events.append(transaction, event, LATE));
    }

    private List<Map<String, Object>> log(SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        """
                                        SELECT seq, type, data, created_at, message_no, event_no,
                                          log_bytes
                                        FROM events
                                        WHERE session_id = :session
                                        ORDER BY seq
                                        """)
                                .bind("session", session.value())
                                .map(RowMap::of)
                                .list());
    }

    private List<String> turns(SessionId session, String table) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT DISTINCT <column> FROM <table> WHERE session_id = :id"
                                                + " AND <column> IS NOT NULL")
                                .define("table", table)
                                .define("column", table.equals("turns") ? "id" : "turn_id")
                                .bind("id", session.value())
                                .mapTo(String.class)
                                .list());
    }

    @Test
    void cutsAtEndOrAfterFinishedTurn() {
        appendTwoTurns();
        append(NewEvent.done(original, first));

        assertThat(store.cutAfter(original, null)).contains(new LogCopyStore.Cut(8, null));
        assertThat(store.cutAfter(original, first))
                .contains(new LogCopyStore.Cut(8, "uuid of " + second));
        assertThat(store.cutAfter(original, second)).isEmpty();
        assertThat(store.cutAfter(copy, null)).contains(new LogCopyStore.Cut(0, null));
    }

    @Test
    void copiesEventsAndTurnsUpToCut() {
        appendTwoTurns();

        write(transaction -> store.copy(transaction, original, copy, 5));

        assertThat(log(copy)).usingRecursiveComparison().isEqualTo(log(original).subList(0, 5));
        assertThat(turns(copy, "turns"))
                .hasSize(2)
                .doesNotContain(first.value(), second.value())
                .containsExactlyInAnyOrderElementsOf(turns(copy, "events"));
        assertThat(events.lastOfBridge(copy, "bridge"))
                .as("copies have no bridge position")
                .isZero();
    }

    @Test
    void rollbackStoresNothing() {
        appendTwoTurns();

        rollBack(transaction -> store.copy(transaction, original, copy, 7));

        assertThat(log(copy)).isEmpty();
        assertThat(turns(copy, "turns")).isEmpty();
    }

    @Test
    void rejectsSecondCopy() {
        appendTwoTurns();
        write(transaction -> store.copy(transaction, original, copy, 3));

        assertThatThrownBy(() -> write(transaction -> store.copy(transaction, original, copy, 7)))
                .isInstanceOf(ApiException.class);

        assertThat(log(copy)).hasSize(3);
    }
}
