package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogReaderTest {
    private static final long CAPACITY = 100_000_000;

    @TempDir Path directory;
    private final SessionId session = SessionId.random();
    private final ByteBudget budget = new ByteBudget("tests", CAPACITY);
    private Database database;
    private EventStore store;
    private SessionEvents events;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        store = new EventStore(database);
        events = new SessionEvents(database, store, Clock.systemUTC());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void log(int size) {
        events.append(
                session,
                List.of(
                        NewEvent.prompt(
                                session, TurnId.random(), RawJson.string("x".repeat(size)))),
                (_, _) -> {});
    }

    @Test
    void returnsSmallBatchesOrOneBudgetedLargeEvent() throws Exception {
        for (int size : List.of(10, 30_000, 30_000, 30_000, 1_000_000, 2_000_000, 10)) {
            log(size);
        }
        var sizes = new ArrayList<Integer>();
        var budgeted = new ArrayList<Boolean>();
        try (var log = new LogReader(store, session, budget, Duration.ZERO)) {
            long seq = 0;
            boolean hasMore = true;
            while (hasMore) {
                var batch = log.read(store.after(session, seq, 100));
                seq = batch.rows().getLast().event().seq();
                sizes.add(batch.rows().size());
                budgeted.add(budget.free() < CAPACITY);
                hasMore = !batch.isComplete();
            }
        }

        assertThat(sizes).containsExactly(3, 1, 1, 1, 1);
        assertThat(budgeted).containsExactly(false, false, true, true, false);
        assertThat(budget.free()).isEqualTo(CAPACITY);
    }

    @Test
    void deliversEventsOfAllSizesOnceFromLogAndTail() throws Exception {
        log(3_000_000);
        log(10);
        try (var subscription = events.subscribe(session, 0)) {
            var seen = new ArrayList<Long>();
            for (int i = 0; i < 40; i++) {
                log(i % 5 == 0 ? 700_000 : 20_000 * (i % 4));
            }
            while (seen.size() < 42) {
                var batch = subscription.nextBatch(Duration.ofSeconds(30));
                assertThat(batch).isNotEmpty();
                batch.forEach(event -> seen.add(event.seq()));
            }
            for (int i = 0; i < 40; i++) { // now from the tail, which has no large events
                log(i % 5 == 0 ? 700_000 : 20_000 * (i % 4));
                while (seen.size() < 43 + i) {
                    subscription
                            .nextBatch(Duration.ofSeconds(30))
                            .forEach(event -> seen.add(event.seq()));
                }
            }
            assertThat(seen)
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, 82).boxed().toList());
        }
    }
}
