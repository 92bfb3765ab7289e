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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventPollsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir Path directory;
    private final SessionId session = SessionId.random();
    private Database database;
    private SessionEvents events;
    private EventPolls polls;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        var store = new EventStore(database);
        events = new SessionEvents(database, store, Clock.systemUTC());
        polls = new EventPolls(new EventViews(store), events);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void append(SessionId id, String action) {
        events.append(
                id, List.of(NewEvent.lifecycle(id, action, JsonWriter.object())), (_, _) -> {});
    }

    private List<SessionApi.Event> poll(long after, Optional<String> type, Duration wait)
            throws InterruptedException {
        return Views.events(
                rows -> polls.awaitEvents(TenantId.DEFAULT, session, after, 100, type, wait, rows));
    }

    private FutureTask<List<SessionApi.Event>> startPoll(long after, Optional<String> type) {
        Callable<List<SessionApi.Event>> poll = () -> poll(after, type, LONG);
        var task = new FutureTask<>(poll);
        Thread.ofVirtual().start(task);
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> events.subscriberCount() == 1);
        return task;
    }

    @Test
    void returnsExistingRowsImmediately() throws Exception {
        append(session, "created");

        assertThat(poll(0, Optional.empty(), LONG)).hasSize(1);
        assertThat(poll(1, Optional.empty(), Duration.ZERO)).isEmpty();
        assertThat(events.subscriberCount()).isZero();
    }

    @Test
    void waitsForNextRowOfSession() throws Exception {
        append(session, "created");
        var poll = startPoll(1, Optional.empty());

        append(SessionId.random(), "created");
        append(session, "paused");

        assertThat(poll.get(20, TimeUnit.SECONDS))
                .extracting(SessionApi.Event::sequence)
                .containsExactly(2L);
    }

    @Test
    void keepsWaitingOnRowsOfOtherTypes() throws Exception {
        append(session, "created");
        var poll = startPoll(1, Optional.of("error"));

        append(session, "paused");
        append(session, "resumed");
        events.append(
                session,
                List.of(NewEvent.error(session, TurnId.random(), "no luck")),
                (_, _) -> {});

        assertThat(poll.get(20, TimeUnit.SECONDS))
                .extracting(SessionApi.Event::sequence, SessionApi.Event::type)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(4L, "error"));
    }

    @Test
    void keepsWaitingOnTransientEvents() throws Exception {
        var poll = startPoll(0, Optional.empty());

        events.publishTransient(
                session,
                new LoggedEvent(0, null, EventType.MESSAGE, RawJson.of("{}"), 0),
                () -> {});
        append(session, "created");

        assertThat(poll.get(20, TimeUnit.SECONDS)).hasSize(1);
    }
}
