package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import dev.ash.server.memory.ByteBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TailTest {
    private static final String TENANT = "tenant";
    private static final RawJson DELTA =
            RawJson.of("{\"type\":\"stream_event\",\"text\":\"" + "x".repeat(200) + "\"}");

    private final ByteBudget budget = new ByteBudget("tests", 64L * 1024 * 1024);
    private final Tail tail = new Tail(TENANT, budget).addSubscriber();

    private static LoggedEvent delta() {
        return new LoggedEvent(0, null, EventType.MESSAGE, DELTA, 0);
    }

    private static LoggedEvent stored(long seq) {
        return new LoggedEvent(seq, null, EventType.MESSAGE, DELTA, 0);
    }

    private void addDeltas(int count) {
        for (int i = 0; i < count; i++) {
            tail.add(List.of(delta()));
        }
    }

    private Tail.Read read(Tail.Cursor cursor) throws InterruptedException {
        return tail.read(cursor, Duration.ZERO);
    }

    private int readAll(Tail.Cursor cursor) throws InterruptedException {
        int count = 0;
        while (read(cursor) instanceof Tail.Read.Events(var events)) {
            count += events.size();
        }
        return count;
    }

    @Test
    void keepsEveryEventForReaderThatReadsNothingYet() throws Exception {
        var cursor = tail.openCursor();
        addDeltas(20_000);

        assertThat(readAll(cursor)).isEqualTo(20_000);
    }

    @Test
    void removesEventsThatEveryReaderHasRead() throws Exception {
        var fast = tail.openCursor();
        var slow = tail.openCursor();
        addDeltas(10_000);
        readAll(fast);
        assertThat(tail.bytes()).isGreaterThan(3_000_000);
        assertThat(budget.free()).isLessThan(budget.capacity());

        readAll(slow);

        assertThat(tail.bytes()).isLessThanOrEqualTo(2 * TailSegment.MAX_BYTES);
        assertThat(budget.free()).isEqualTo(budget.capacity());
    }

    @Test
    void removesEventsOfReaderThatLeaves() {
        var slow = tail.openCursor();
        addDeltas(10_000);

        tail.closeCursor(slow);

        assertThat(tail.bytes()).isLessThanOrEqualTo(2 * TailSegment.MAX_BYTES);
        assertThat(budget.free()).isEqualTo(budget.capacity());
    }

    @Test
    void sharesMemoryAmongReaders() {
        for (int i = 0; i < 5000; i++) {
            tail.openCursor();
        }
        addDeltas(100_000);

        assertThat(tail.bytes()).isLessThanOrEqualTo(Tail.MAX_BYTES);
        assertThat(budget.capacity() - budget.free()).isLessThanOrEqualTo(Tail.MAX_BYTES);
    }

    @Test
    void reportsLostTransientEventsToSlowReaderOnly() throws Exception {
        var slow = tail.openCursor();
        var fast = tail.openCursor();
        int read = 0;
        for (int i = 0; i < 100; i++) {
            addDeltas(1000);
            read += readAll(fast);
        }
        tail.add(List.of(stored(1)));
        tail.add(List.of(delta()));

        assertThat(read).isEqualTo(100_000);
        assertThat(read(slow)).isEqualTo(new Tail.Read.Evicted(0, true));
        assertThat(readAll(slow)).isBetween(10_000, 30_000);
    }

    @Test
    void doesNotChargeLoggedEvents() throws Exception {
        var slow = tail.openCursor();
        for (long seq = 1; seq <= 10_000; seq++) {
            tail.add(List.of(stored(seq)));
        }

        assertThat(budget.free()).isEqualTo(budget.capacity());
        assertThat(tail.bytes()).isLessThanOrEqualTo(Tail.FREE_BYTES);
        assertThat(read(slow))
                .isInstanceOfSatisfying(
                        Tail.Read.Evicted.class,
                        evicted -> {
                            assertThat(evicted.lostTransients()).isFalse();
                            assertThat(evicted.seq()).isBetween(8_000L, 9_999L);
                        });
    }

    @Test
    void keepsFreeBytesOfTenantWithExhaustedBudget() throws Exception {
        try (var _ = budget.acquire(TENANT, budget.share(), Duration.ZERO)) {
            var slow = tail.openCursor();
            addDeltas(1000);
            assertThat(readAll(slow)).isEqualTo(1000);

            addDeltas(10_000);
            assertThat(tail.bytes()).isLessThanOrEqualTo(Tail.FREE_BYTES);
            assertThat(read(slow)).isEqualTo(new Tail.Read.Evicted(0, true));
        }
    }

    @Test
    void keepsOversizedEventsOutOfMemory() throws Exception {
        var cursor = tail.openCursor();
        var large = RawJson.of("\"" + "x".repeat(Tail.MAX_EVENT_BYTES) + "\"");
        var added = new ArrayList<LoggedEvent>();
        added.add(delta());
        for (long seq = 1; seq <= 50; seq++) {
            added.add(new LoggedEvent(seq, null, EventType.MESSAGE, large, 0));
        }
        added.add(delta());
        tail.add(added);

        assertThat(tail.bytes()).isLessThan(64 * 1024);
        assertThat(read(cursor)).isInstanceOf(Tail.Read.Events.class);
        for (long seq = 1; seq <= 50; seq++) {
            long expected = seq;
            assertThat(read(cursor))
                    .isInstanceOfSatisfying(
                            Tail.Read.Oversized.class,
                            read -> assertThat(read.event().seq()).isEqualTo(expected));
        }
        assertThat(readAll(cursor)).isEqualTo(1);
    }

    @Test
    void chargesNothingAfterLastSubscriber() {
        tail.openCursor();
        addDeltas(10_000);
        assertThat(tail.removeSubscriber()).isTrue();
        assertThat(budget.free()).isEqualTo(budget.capacity());

        addDeltas(10_000); // by a writer that found the tail before

        assertThat(budget.free()).isEqualTo(budget.capacity());
    }

    @Test
    void skipsTransientEventsBeforeEventsThatWereReadFromLog() throws Exception {
        var cursor = tail.openCursor();
        for (long seq = 1; seq <= 5; seq++) {
            addDeltas(500);
            tail.add(List.of(stored(seq)));
        }
        addDeltas(7);

        assertThat(tail.skipTo(cursor, 5)).isEqualTo(Tail.Skipped.ALL);

        assertThat(readAll(cursor)).isEqualTo(7);
    }
}
