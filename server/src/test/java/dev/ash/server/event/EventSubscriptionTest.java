package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.store.Database;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Checks what subscribers of different paces receive. Each stored message n is preceded by partial
 * messages n.0, n.1, …, so that a partial message after its complete one is recognized.
 */
class EventSubscriptionTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int FILLER = 400; // bytes

    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();

    private static RawJson data(long message, int part) {
        return RawJson.of(
                "{\"message\":%d,\"part\":%d,\"x\":\"%s\"}"
                        .formatted(message, part, "x".repeat(FILLER)));
    }

    private static int field(LoggedEvent event, String name) {
        var text = event.data().toString();
        int from = text.indexOf("\"" + name + "\":") + name.length() + 3;
        return Integer.parseInt(text.substring(from, text.indexOf(',', from)));
    }

    private void publish(SessionEvents events, long message, int parts) {
        for (int part = 0; part < parts; part++) {
            var partial = new LoggedEvent(0, turn, EventType.MESSAGE, data(message, part), 0);
            events.publishTransient(session, partial, () -> {});
        }
        var complete =
                new NewEvent(
                        session, turn, EventType.MESSAGE, data(message, -1), null, true, 1, false);
        events.submit(session, List.of(complete), (_, _) -> {}, () -> {}, _ -> {});
    }

    /** Checks the order of events, and that partial messages are missing only where reported. */
    private static final class Checker {
        private long messages;
        private int parts;
        private int skips;
        private boolean isSkipping;

        void accept(EventSubscription subscription, List<LoggedEvent> batch) {
            var skipped = subscription.takeSkipped();
            if (skipped.isPresent()) {
                assertThat(skipped.getAsLong()).isEqualTo(messages);
                skips++;
                isSkipping = true;
            }
            for (var event : batch) {
                if (event.isTransient()) {
                    assertThat(isSkipping).isFalse();
                    assertThat(field(event, "message")).isEqualTo((int) messages + 1);
                    assertThat(field(event, "part")).isEqualTo(parts++);
                } else {
                    assertThat(event.seq()).isEqualTo(++messages);
                    isSkipping = false;
                    parts = 0;
                }
            }
        }
    }

    private interface Body {
        void run(SessionEvents events) throws Exception;
    }

    private static void withEvents(ByteBudget budget, Body body) throws Exception {
        var directory = Files.createTempDirectory("subscriptions");
        try (var database = Database.open(directory.resolve("ash.db"))) {
            body.run(
                    new SessionEvents(
                            database, new EventStore(database), Clock.systemUTC(), budget));
        } finally {
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
    }

    /**
     * Subscribes when message 2 is committed but not yet published: its parts follow in the tail,
     * although the complete message was read from the log.
     */
    @Example
    void dropsPartsOfMessageThatWasReadBeforeItsPublication() throws Exception {
        withEvents(
                new ByteBudget("tests", 1 << 20),
                events -> {
                    var subscriptions = new ArrayList<EventSubscription>();
                    var early = new ArrayList<LoggedEvent>();
                    events.addListener(
                            EnumSet.of(EventType.MESSAGE),
                            (_, event) -> {
                                if (event.seq() == 1) {
                                    var subscription = events.subscribe(session, 0);
                                    subscriptions.add(subscription);
                                    early.addAll(read(subscription));
                                }
                            });
                    var blocked = new CountDownLatch(1);
                    var queued = new CountDownLatch(1);
                    events.runInOrder(
                            () -> {
                                blocked.countDown();
                                await(queued);
                            });
                    await(blocked);
                    publish(events, 1, 0);
                    publish(events, 2, 3); // in the same group
                    queued.countDown();
                    events.flush();
                    publish(events, 3, 2);
                    events.flush();

                    assertThat(early).extracting(LoggedEvent::seq).containsExactly(1L, 2L);
                    try (var subscription = subscriptions.getFirst()) {
                        assertThat(read(subscription))
                                .extracting(LoggedEvent::seq)
                                .containsExactly(0L, 0L, 3L);
                    }
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static List<LoggedEvent> read(EventSubscription subscription) {
        try {
            return subscription.nextBatch(Duration.ZERO);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Readers that pause at random while the budget permits different lags. */
    @Property(tries = 10, shrinking = ShrinkingMode.OFF)
    void deliversEveryMessageAndReportsMissingParts(@ForAll long seed) throws Exception {
        var random = new Random(seed);
        long messages = 1 + random.nextInt(20);
        int parts = random.nextInt(2000);
        var budget = new ByteBudget("tests", 1024 * 1024L * (1 + random.nextInt(16)));
        withEvents(
                budget,
                events -> {
                    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                        var readers = new ArrayList<Future<Checker>>();
                        for (int r = 0; r < 6; r++) {
                            int every = random.nextInt(4);
                            var subscription = events.subscribeLive(session);
                            readers.add(threads.submit(reader(subscription, messages, every)));
                        }
                        for (long message = 1; message <= messages; message++) {
                            publish(events, message, parts);
                        }
                        for (var reader : readers) {
                            assertThat(reader.get().messages).isEqualTo(messages);
                        }
                    }
                    assertThat(budget.free()).isEqualTo(budget.capacity());
                });
    }

    private static Callable<Checker> reader(
            EventSubscription subscription, long messages, int every) {
        return () -> {
            var checker = new Checker();
            try (subscription) {
                for (int i = 1; checker.messages < messages; i++) {
                    checker.accept(subscription, subscription.nextBatch(LONG));
                    if (every > 0 && i % every == 0) {
                        Thread.yield();
                    }
                }
            }
            return checker;
        };
    }

    @Example
    void reportsOnceThatSlowReaderMissedParts() throws Exception {
        withEvents(
                new ByteBudget("tests", 64L * 1024 * 1024),
                events -> {
                    try (var slow = events.subscribeLive(session)) {
                        publish(events, 1, 10);
                        publish(events, 2, 30_000); // more than a tail keeps
                        publish(events, 3, 10);
                        events.flush();

                        var checker = new Checker();
                        long transients = 0;
                        while (checker.messages < 3) {
                            var batch = slow.nextBatch(LONG);
                            checker.accept(slow, batch);
                            transients += batch.stream().filter(LoggedEvent::isTransient).count();
                        }
                        assertThat(checker.skips).isEqualTo(1);
                        assertThat(transients).as("the parts of the third message").isEqualTo(10);
                    }
                });
    }

    @Example
    void deliversPartsAroundOversizedMessage() throws Exception {
        withEvents(
                new ByteBudget("tests", 64L * 1024 * 1024),
                events -> {
                    try (var reader = events.subscribeLive(session)) {
                        publish(events, 1, 10);
                        var large = RawJson.of("{\"x\":\"" + "x".repeat(9_000_000) + "\"}");
                        var event = NewEvent.of(session, turn, EventType.MESSAGE, large, null);
                        events.append(session, List.of(event), (_, _) -> {});
                        publish(events, 3, 10);
                        events.flush();

                        var seen = new ArrayList<Long>();
                        while (seen.size() < 23) {
                            for (var next : reader.nextBatch(LONG)) {
                                seen.add(next.seq());
                                if (next.seq() == 2) {
                                    assertThat(next.data().length()).isEqualTo(large.length());
                                }
                            }
                            assertThat(reader.takeSkipped()).isEmpty();
                        }
                        assertThat(seen).filteredOn(seq -> seq > 0).containsExactly(1L, 2L, 3L);
                        assertThat(seen).filteredOn(seq -> seq == 0).hasSize(20);
                    }
                });
    }

    @Example
    void deliversEndOfTurnThatCannotBeLoggedToSlowReader() throws Exception {
        withEvents(
                new ByteBudget("tests", 64L * 1024 * 1024),
                events -> {
                    try (var slow = events.subscribeLive(session)) {
                        publish(events, 1, 30_000);
                        var done = new LoggedEvent(0, turn, EventType.DONE, RawJson.of("{}"), 0);
                        events.publishTransient(session, done, () -> {});
                        events.flush();

                        var seen = new ArrayList<LoggedEvent>();
                        while (seen.isEmpty() || seen.getLast().type() != EventType.DONE) {
                            seen.addAll(slow.nextBatch(LONG));
                        }
                        assertThat(seen).hasSize(2);
                    }
                });
    }
}
