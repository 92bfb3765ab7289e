package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.store.StoreContract;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers({EventStore.class, EventPageStore.class})
class EventStoreTest extends StoreContract {
    /** A message with two rows in the event view. */
    private static final RawJson TWO_BLOCKS =
            RawJson.of(
                    """
                    {"type":"assistant","message":{"content":[
                      {"type":"text","text":"one 🦊"},{"type":"text","text":"two"}]}}
                    """);

    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();
    private EventStore store;

    @BeforeEach
    void create() {
        store = new EventStore(database);
    }

    private NewEvent prompt() {
        return NewEvent.prompt(session, turn, RawJson.string(TEXT));
    }

    private NewEvent message(@Nullable BridgePosition position) {
        return NewEvent.of(session, turn, EventType.MESSAGE, TWO_BLOCKS, position);
    }

    private void append(NewEvent... events) {
        for (var event : events) {
            write(transaction -> store.append(transaction, event, LATE));
        }
    }

    private static List<Long> seqs(EventPageStore.Page page) {
        return page.rows().stream().map(row -> row.event().seq()).toList();
    }

    private List<Long> seqs() {
        return seqs(store.after(session, 0, 100).run(Long.MAX_VALUE));
    }

    @Test
    void storesEveryColumn() {
        var event = message(new BridgePosition("bridge", LATE));
        append(event);

        var row = new HashMap<>(row("events"));
        assertThat(row.remove("data")).isEqualTo(TWO_BLOCKS.toBytes());
        assertThat(row)
                .containsEntry("session_id", session.value())
                .containsEntry("turn_id", turn.value())
                .containsEntry("type", "message")
                .containsEntry("created_at", LATE)
                .containsEntry("bridge_id", "bridge")
                .containsEntry("n", LATE)
                .hasSize(10);
        assertThat(numbers(row, "seq", "message_no", "event_no", "log_bytes"))
                .containsExactly(1L, 1L, 1L, event.data().length() + (long) EventStore.ROW_BYTES);
    }

    private static List<Long> numbers(HashMap<String, Object> row, String... columns) {
        return Arrays.stream(columns)
                .map(column -> ((Number) row.get(column)).longValue())
                .toList();
    }

    @Test
    void storesNullForMissingTurnBridgeAndViewRows() {
        append(NewEvent.of(session, null, EventType.APPROVAL_REQUIRED, RawJson.EMPTY_OBJECT, null));

        assertThat(row("events"))
                .containsEntry("turn_id", null)
                .containsEntry("bridge_id", null)
                .containsEntry("n", null)
                .containsEntry("message_no", null)
                .containsEntry("event_no", null);
        assertThat(store.after(session, 0, 1).run(1000).rows().getFirst().event())
                .isEqualTo(
                        new LoggedEvent(
                                1, null, EventType.APPROVAL_REQUIRED, RawJson.EMPTY_OBJECT, LATE));
    }

    @Test
    void readsPagesInOrder() {
        append(prompt(), message(null), NewEvent.done(session, turn), message(null));

        assertThat(seqs(store.after(session, 1, 2).run(Long.MAX_VALUE))).containsExactly(2L, 3L);
        assertThat(seqs(store.messagesAfter(session, 1, 10).run(Long.MAX_VALUE)))
                .containsExactly(2L, 4L);
        assertThat(store.eventsAfter(session, 0, 10).run(Long.MAX_VALUE).rows())
                .extracting(EventPageStore.NumberedEvent::eventNo)
                .containsExactly(1L, 3L);
        assertThat(seqs(store.eventsAfter(session, 1, 10).run(Long.MAX_VALUE)))
                .as("the second row of the first message")
                .containsExactly(2L, 4L);
        assertThat(seqs(store.eventsAfter(session, 2, 10).run(Long.MAX_VALUE))).containsExactly(4L);
        assertThat(seqs(store.after(SessionId.random(), 0, 10).run(Long.MAX_VALUE))).isEmpty();
    }

    @Test
    void limitsPagesInBytes() {
        append(message(null), message(null));
        int size = TWO_BLOCKS.length();

        assertThat(store.after(session, 0, 10).run(size - 1))
                .isEqualTo(new EventPageStore.Page(List.of(), false, size));
        var one = store.after(session, 0, 10).run(2 * size - 1);
        assertThat(seqs(one)).containsExactly(1L);
        assertThat(one.isComplete()).isFalse();
        assertThat(store.after(session, 0, 10).run(2 * size).isComplete()).isTrue();
    }

    @Test
    void continuesNumbersAndSizesAfterRestart() {
        append(prompt(), message(null));
        var size = bytesOf(prompt(), message(null));

        store = new EventStore(database);
        append(message(null));

        var last = store.eventsAfter(session, 2, 10).run(Long.MAX_VALUE).rows().getFirst();
        assertThat(last.event().seq()).isEqualTo(3);
        assertThat(last.messageNo()).isEqualTo(3);
        assertThat(last.eventNo()).isEqualTo(3);
        assertThat(lastSize()).isEqualTo(size + bytesOf(message(null)));
    }

    /** Returns the size of events in a log. */
    private static long bytesOf(NewEvent... events) {
        return Arrays.stream(events)
                .mapToLong(event -> event.data().length() + (long) EventStore.ROW_BYTES)
                .sum();
    }

    private long lastSize() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT max(log_bytes) FROM events")
                                .mapTo(Long.class)
                                .one());
    }

    @Test
    void rollbackStoresNothingAndReusesNumbers() {
        append(prompt());
        rollBack(transaction -> store.append(transaction, message(null), 1));

        append(message(null));

        assertThat(seqs()).containsExactly(1L, 2L);
    }

    @Test
    void rejectsSecondDoneAndDuplicateBridgePosition() {
        var position = new BridgePosition("bridge", 1);
        append(message(position), NewEvent.done(session, turn));

        assertThatThrownBy(() -> append(NewEvent.done(session, turn)))
                .isInstanceOf(ApiException.class);
        assertThatThrownBy(() -> append(message(position))).isInstanceOf(ApiException.class);

        assertThat(seqs()).containsExactly(1L, 2L);
    }

    @Test
    void numbersConcurrentEventsWithoutGaps() {
        concurrently(
                50,
                i ->
                        () -> {
                            append(message(new BridgePosition("bridge", i)));
                            return i;
                        });

        assertThat(seqs()).isEqualTo(LongStream.rangeClosed(1, 50).boxed().toList());
    }

    @Test
    void findsNumbersOfBridgesTurnsAndSessions() {
        append(
                NewEvent.lifecycle(session, "created", JsonWriter.object()),
                NewEvent.prompt(session, turn, RawJson.of("\"hello\"")),
                message(new BridgePosition("bridge", LATE)));

        assertThat(store.lastOfBridge(session, "bridge")).isEqualTo(LATE);
        assertThat(store.lastOfBridge(session, "other")).isZero();
        assertThat(store.firstOfTurn(session, turn)).isEqualTo(2);
        assertThat(store.firstOfTurn(session, TurnId.random())).isZero();
        assertThat(store.lastSeq(session)).hasValue(3);
        assertThat(store.lastSeq(SessionId.random())).isEmpty();
    }

    @Test
    void findsTenantOfSession() {
        assertThat(store.tenantOf(session)).isEmpty();
        insertSession(TENANT, session);
        assertThat(store.tenantOf(session)).isEqualTo(TENANT.value());
        var terminal = SessionId.random();
        insertTerminal(OTHER_TENANT, terminal);
        assertThat(store.tenantOf(terminal)).isEqualTo(OTHER_TENANT.value());
    }
}
