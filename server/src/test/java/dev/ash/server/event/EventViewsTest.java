package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventViewsTest {
    @TempDir Path directory;
    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();
    private Database database;
    private EventViews views;
    private SessionEvents events;

    @BeforeEach
    void logOneTurn() {
        database = Database.open(directory.resolve("ash.db"));
        var store = new EventStore(database);
        views = new EventViews(store);
        events = new SessionEvents(database, store, Clock.systemUTC());
        events.append(
                session,
                List.of(
                        NewEvent.lifecycle(session, "created", JsonWriter.object()),
                        NewEvent.prompt(session, turn, RawJson.string("hello")),
                        message("{'type':'system','subtype':'init'}"),
                        message(
                                "{'type':'assistant','message':{'content':[{'type':'text','text':'a'},"
                                        + "{'type':'tool_use','id':'t1','name':'Bash','input':{}},"
                                        + "{'type':'text','text':'b'}]}}"),
                        message(
                                "{'type':'user','message':{'content':[{'type':'tool_result','tool_use_id':'t1','content':'out'}]}}"),
                        message("{'type':'result','num_turns':1,'result':'b'}"),
                        NewEvent.done(session, turn)),
                (_, _) -> {});
    }

    @AfterEach
    void close() {
        database.close();
    }

    private NewEvent message(String json) {
        var data = RawJson.of(json.replace('\'', '"'));
        return NewEvent.of(session, turn, EventType.MESSAGE, data, null);
    }

    private List<SessionApi.Event> events(long after, int limit, Optional<String> type)
            throws InterruptedException {
        return Views.events(
                rows -> views.events(TenantId.DEFAULT, session, after, limit, type, rows));
    }

    @Test
    void numbersMessagesFromOneAndReturnsTheirSeq() throws Exception {
        var messages =
                Views.messages(rows -> views.messages(TenantId.DEFAULT, session, 0, 100, rows));

        assertThat(messages)
                .extracting(
                        SessionApi.Message::sequence,
                        SessionApi.Message::seq,
                        SessionApi.Message::role)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(1L, 2L, "user"),
                        org.assertj.core.groups.Tuple.tuple(2L, 4L, "assistant"),
                        org.assertj.core.groups.Tuple.tuple(3L, 6L, "assistant"));
        assertThat(messages.getFirst().content())
                .isEqualTo("{\"type\":\"user\",\"content\":\"hello\"}");
    }

    @Test
    void returnsOneRowPerContentBlock() throws Exception {
        assertThat(events(0, 100, Optional.empty()))
                .extracting(SessionApi.Event::type)
                .containsExactly(
                        "lifecycle", "text", "tool_start", "text", "tool_result", "turn_complete");
        assertThat(events(0, 100, Optional.empty()))
                .extracting(SessionApi.Event::sequence)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void pagesThroughRowsOfOneMessage() throws Exception {
        assertThat(events(2, 1, Optional.empty()))
                .extracting(SessionApi.Event::sequence, SessionApi.Event::type)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(3L, "tool_start"));
        assertThat(events(6, 10, Optional.empty())).isEmpty();
    }

    @Test
    void filtersByTypeAndNamesToolOfResult() throws Exception {
        assertThat(events(0, 10, Optional.of("tool_result")))
                .extracting(SessionApi.Event::data)
                .containsExactly(
                        "{\"toolName\":\"Bash\",\"toolId\":\"t1\",\"stdout\":\"out\",\"stderr\":\"\"}");
    }

    @Test
    void readsRowsOfAllSizes() throws Exception {
        var sizes = List.of(10, 200_000, 10, 70_000, 60_000, 60_000, 1, 300_000, 300_000, 5);
        for (int size : sizes) {
            events.append(
                    session,
                    List.of(
                            NewEvent.prompt(session, turn, RawJson.string("ü\"\n".repeat(size))),
                            message(
                                    "{'type':'assistant','message':{'content':[{'type':'text','text':'%s'}]}}"
                                            .formatted("x".repeat(size)))),
                    (_, _) -> {});
        }

        var messages =
                Views.messages(rows -> views.messages(TenantId.DEFAULT, session, 3, 1000, rows));
        assertThat(messages).hasSize(2 * sizes.size());
        assertThat(messages)
                .extracting(SessionApi.Message::sequence)
                .containsExactlyElementsOf(LongStream.rangeClosed(4, 23).boxed().toList());
        assertThat(events(6, 1000, Optional.empty()))
                .extracting(row -> String.valueOf(row.data()).length())
                .containsExactlyElementsOf(
                        sizes.stream().map(size -> size + "{\"text\":\"\"}".length()).toList());
        assertThat(events(7, 3, Optional.empty()))
                .extracting(SessionApi.Event::sequence)
                .containsExactly(8L, 9L, 10L);
        assertThat(events(0, 1, Optional.of("turn_complete"))).hasSize(1);
        assertThat(events(6, 1, Optional.of("turn_complete"))).isEmpty();
    }

    @Test
    void stopsReadingWhenConsumerReturnsFalse() throws Exception {
        var seen = new ArrayList<Long>();

        views.messages(
                TenantId.DEFAULT,
                session,
                0,
                100,
                row -> {
                    seen.add(row.sequence());
                    return row.sequence() < 2;
                });

        assertThat(seen).containsExactly(1L, 2L);
    }
}
