package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionEventsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir Path directory;
    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();
    private Database database;
    private SessionEvents events;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private NewEvent message(SessionId id, int i) {
        return NewEvent.of(id, turn, EventType.MESSAGE, RawJson.of("{\"i\":" + i + "}"), null);
    }

    private void append(SessionId id, int i) {
        events.submit(id, List.of(message(id, i)), (_, _) -> {}, () -> {}, _ -> {});
    }

    /** Waits until all queued units of work are committed. */
    private void awaitCommits() {
        database.writer().write(_ -> true);
    }

    private static List<Long> take(EventSubscription subscription, int count)
            throws InterruptedException {
        var seen = new ArrayList<Long>();
        while (seen.size() < count) {
            var event = subscription.next(LONG);
            assertThat(event).as("after %s", seen).isNotNull();
            seen.add(event.seq());
        }
        return seen;
    }

    private static List<Long> numbers(long from, long to) {
        var numbers = new ArrayList<Long>();
        for (long n = from; n <= to; n++) {
            numbers.add(n);
        }
        return numbers;
    }

    @Test
    void numbersEachSessionFromOneWithoutGaps() throws Exception {
        var other = SessionId.random();
        for (int i = 0; i < 10; i++) {
            append(session, i);
            append(other, i);
        }
        awaitCommits();

        try (var first = events.subscribe(session, 0);
                var second = events.subscribe(other, 4)) {
            assertThat(take(first, 10)).isEqualTo(numbers(1, 10));
            assertThat(take(second, 6)).isEqualTo(numbers(5, 10));
            assertThat(first.next(Duration.ZERO)).isNull();
        }
    }

    @Test
    void continuesNumberingAfterRestart() throws Exception {
        append(session, 1);
        database.close();
        open();
        append(session, 2);

        try (var subscription = events.subscribe(session, 0)) {
            assertThat(take(subscription, 2)).isEqualTo(numbers(1, 2));
        }
    }

    @Test
    void continuesNumberingWithoutGapsAfterFailedUnit() throws Exception {
        append(session, 1);
        events.submit(
                session,
                List.of(message(session, 2)),
                (transaction, _) -> transaction.handle().execute("INSERT INTO nowhere VALUES (1)"),
                () -> {},
                _ -> {});
        append(session, 3);

        try (var subscription = events.subscribe(session, 0)) {
            assertThat(take(subscription, 2)).isEqualTo(numbers(1, 2));
            assertThat(subscription.next(Duration.ZERO)).isNull();
        }
    }

    /** Far more events than fit into a tail, and subscribers that start at random positions. */
    @RepeatedTest(3)
    void deliversEveryEventOnceInOrderToEverySubscriber() throws Exception {
        int count = 5000;
        int before = 2500;
        var random = new Random();
        for (int i = 0; i < before; i++) {
            append(session, i);
        }
        awaitCommits();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var readers = new ArrayList<Future<List<Long>>>();
            var expected = new ArrayList<List<Long>>();
            for (int r = 0; r < 8; r++) {
                int after = random.nextInt(before);
                expected.add(numbers(after + 1, count));
                Callable<List<Long>> reader =
                        () -> {
                            try (var subscription = events.subscribe(session, after)) {
                                return take(subscription, count - after);
                            }
                        };
                readers.add(threads.submit(reader));
            }
            for (int i = before; i < count; i++) {
                append(session, i);
            }
            for (int r = 0; r < readers.size(); r++) {
                assertThat(readers.get(r).get()).isEqualTo(expected.get(r));
            }
        }
    }

    @Test
    void returnsAvailableEventsInLargeBatches() throws Exception {
        for (int i = 0; i < 700; i++) {
            append(session, i);
        }
        awaitCommits();

        try (var subscription = events.subscribe(session, 0)) {
            var seen = new ArrayList<Long>();
            int batches = 0;
            while (seen.size() < 700) {
                subscription.nextBatch(LONG).forEach(event -> seen.add(event.seq()));
                batches++;
            }
            assertThat(seen).isEqualTo(numbers(1, 700));
            assertThat(batches).isLessThanOrEqualTo(3);
            assertThat(subscription.nextBatch(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void treatsNumberBeyondEndAsEnd() throws Exception {
        var other = SessionId.random();
        append(other, 1);
        append(session, 1);
        append(session, 2);
        awaitCommits();

        try (var subscription = events.subscribe(session, Long.MAX_VALUE)) {
            append(other, 2);
            append(session, 3);
            assertThat(take(subscription, 1)).containsExactly(3L);
            assertThat(subscription.next(Duration.ZERO)).isNull();
        }
    }

    @Test
    void keepsOrderWhenClockJumps() throws Exception {
        var store = new EventStore(database);
        for (long now : new long[] {5000, 9_000_000_000_000L, 0, 4000}) {
            var clock = Clock.fixed(Instant.ofEpochMilli(now), ZoneOffset.UTC);
            new SessionEvents(database, store, clock)
                    .append(session, List.of(message(session, 1)), (_, _) -> {});
        }

        try (var subscription = events.subscribe(session, 0)) {
            var times = new ArrayList<Long>();
            for (long seq = 1; seq <= 4; seq++) {
                var event = subscription.next(LONG);
                assertThat(event.seq()).isEqualTo(seq);
                times.add(event.createdAt());
            }
            assertThat(times).containsExactly(5000L, 9_000_000_000_000L, 0L, 4000L);
        }
    }

    @Test
    void countsSubscribersAndCommittedEvents() {
        append(session, 1);
        append(session, 2);
        awaitCommits();

        assertThat(events.committedCount()).isEqualTo(2);
        try (var _ = events.subscribe(session, 1);
                var _ = events.subscribeLive(session)) {
            assertThat(events.subscriberCount()).isEqualTo(2);
        }
        assertThat(events.subscriberCount()).isZero();
    }

    private void publishTransient() {
        events.publishTransient(
                session,
                new LoggedEvent(0, turn, EventType.MESSAGE, RawJson.of("{}"), 0),
                () -> {});
    }

    @Test
    void publishesTransientEventsInOrderWithoutLoggingThem() throws Exception {
        try (var subscription = events.subscribeLive(session)) {
            append(session, 1);
            publishTransient();
            append(session, 2);

            assertThat(take(subscription, 3)).containsExactly(1L, 0L, 2L);
        }
        try (var later = events.subscribe(session, 0)) {
            assertThat(take(later, 2)).containsExactly(1L, 2L);
        }
    }

    @Test
    void skipsTransientEventsBeforeEventsReadFromLog() throws Exception {
        try (var subscription = events.subscribe(session, 0)) {
            append(session, 1);
            publishTransient();
            events.append(session, List.of(message(session, 2)), (_, _) -> {});
            publishTransient();

            assertThat(take(subscription, 3))
                    .as("the log was read first")
                    .containsExactly(1L, 2L, 0L);
            assertThat(subscription.next(Duration.ZERO)).isNull();
        }
    }

    @Test
    void deliversTransientEventsAtEndToSlowSubscriber() throws Exception {
        try (var subscription = events.subscribeLive(session)) {
            for (int i = 1; i <= 1100; i++) {
                append(session, i); // more than the tail holds
            }
            publishTransient();
            events.flush();

            assertThat(take(subscription, 1101)).hasSize(1101).endsWith(1100L, 0L);
            assertThat(subscription.next(Duration.ZERO)).isNull();
        }
    }

    @Test
    void publishesTransientEventsAfterWriterIsClosed() throws Exception {
        try (var subscription = events.subscribeLive(session)) {
            database.writer().close();
            publishTransient();

            assertThat(take(subscription, 1)).containsExactly(0L);
        }
    }
}
