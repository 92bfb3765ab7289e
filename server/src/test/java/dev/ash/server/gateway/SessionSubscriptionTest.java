package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.Devices;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests replay and live delivery to devices that disconnect at random, without a network. */
class SessionSubscriptionTest {
    private static final int RUNS = Integer.getInteger("ash.followings", 30);
    private static final Clock CLOCK = Clock.systemUTC();
    private static final TurnId TURN = TurnId.random();

    @TempDir Path directory;
    private Database database;
    private SessionEvents events;
    private Broadcasts broadcasts;
    private volatile boolean busy;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        events = new SessionEvents(database, new EventStore(database), CLOCK);
        broadcasts = new Broadcasts(events, new SessionStates(), CLOCK);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private final class SessionStates implements Broadcasts.SessionStates {
        @Override
        public boolean hasFailed(SessionId session) {
            return false;
        }

        @Override
        public boolean isBusy(SessionId session) {
            return busy;
        }
    }

    /** The state that a device accumulates over all its connections. */
    private static final class Phone {
        private final Map<String, StringBuilder> texts = new LinkedHashMap<>();
        private final List<String> ended = new ArrayList<>();
        private int sessionEnds;
        private final Set<String> ids = new HashSet<>();
        private final List<String> repeatedAfterConfirmation = new ArrayList<>();
        private final Set<String> confirmed = new HashSet<>();
        private long cursor;

        private synchronized void receive(String text) {
            try {
                var frame = GatewayFrame.parse(text);
                var fields = frame.fields();
                var message = fields.string("message_id").orElse("");
                var id = frame.id();
                if (id != null && confirmed.contains(id)) {
                    repeatedAfterConfirmation.add(text);
                }
                boolean isNew = id == null || ids.add(id);
                switch (frame.type()) {
                    case "stream_start" -> texts.put(message, new StringBuilder());
                    case "stream_chunk" ->
                            texts.get(message).append(fields.requireString("content"));
                    case "stream_end" -> {
                        if (isNew) {
                            ended.add(message);
                        }
                    }
                    case "session_end" -> sessionEnds++;
                    default -> {}
                }
            } catch (MalformedJsonException e) {
                throw new AssertionError(text, e);
            }
        }

        private synchronized void confirm(long seq) {
            cursor = Math.max(cursor, seq);
            confirmed.addAll(ids.stream().filter(id -> number(id) <= seq).toList());
        }

        private static long number(String id) {
            return Long.parseLong(id.substring(id.indexOf('/') + 1, id.lastIndexOf('.')));
        }

        private synchronized int sessionEnds() {
            return sessionEnds;
        }

        private synchronized Map<String, String> texts() {
            var copy = new LinkedHashMap<String, String>();
            texts.forEach((id, text) -> copy.put(id, text.toString()));
            return copy;
        }
    }

    /** A connection that delivers frames and pongs until it is disconnected. */
    private final class Connection implements DeviceLink, AutoCloseable {
        private final Phone phone;
        private final AtomicBoolean disconnected = new AtomicBoolean();
        private final SessionSubscription subscription;
        private final Pings pings = new Pings(this::ping);
        private final CountDownLatch capacity;

        Connection(SessionId session, Phone phone) {
            this(session, phone, new CountDownLatch(0));
        }

        /** Blocks the replay after the first event until {@code capacity} is released. */
        Connection(SessionId session, Phone phone, CountDownLatch capacity) {
            this.phone = phone;
            this.capacity = capacity;
            var confirmations =
                    new Confirmations(
                            pings::send,
                            (received, onWritten) -> {
                                received.values().forEach(phone::confirm);
                                onWritten.run();
                            });
            var requests =
                    new SentRequests(
                            "phone",
                            new Devices(database, new SecureRandom(), CLOCK).requests(),
                            this,
                            pings,
                            CLOCK);
            this.subscription =
                    new SessionSubscription(
                            session,
                            phone.cursor,
                            new SessionSubscription.Source(broadcasts, events, List::of, CLOCK),
                            new SessionSubscription.Receiver(
                                    this, confirmations, requests, Set::of));
        }

        @Override
        public void send(GatewayFrame frame) {
            send(frame.toJson("now"));
        }

        @Override
        public void send(String text) {
            synchronized (phone) {
                if (!disconnected.get()) {
                    phone.receive(text);
                }
            }
        }

        @Override
        public void awaitCapacity() throws InterruptedException {
            capacity.await();
        }

        @Override
        public void ping(long number) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                synchronized (phone) {
                                    if (!disconnected.get()) {
                                        pings.pong(number);
                                    }
                                }
                            });
        }

        void awaitLive() {
            try {
                subscription.awaitLive(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void close() {
            synchronized (phone) {
                disconnected.set(true);
            }
            subscription.close();
        }
    }

    @Test
    void deliversEveryTextOnceAcrossRandomDisconnects() {
        for (int seed = 1; seed <= RUNS; seed++) {
            run(seed);
        }
    }

    private void run(int seed) {
        var random = new Random(seed);
        var session = SessionId.random();
        var phone = new Phone();
        var steady = new Phone();
        var expected = new LinkedHashMap<String, String>();
        boolean alone = random.nextBoolean();
        busy = random.nextBoolean(); // otherwise a broadcast ends with its last listener
        events.append(
                session,
                List.of(NewEvent.prompt(session, TURN, RawJson.of("\"x\""))),
                (_, _) -> {});
        var connection = new Connection(session, phone);
        var other = alone ? null : new Connection(session, steady);
        for (int i = 0; i < 5 + random.nextInt(20); i++) {
            var id = "m" + i;
            var text = new StringBuilder();
            boolean inDeltas = random.nextBoolean();
            if (inDeltas) {
                hint(session, "{\"type\":\"message_start\",\"message\":{\"id\":\"" + id + "\"}}");
            }
            for (int block = 0; block <= random.nextInt(3); block++) {
                var words = new StringBuilder();
                for (int word = 0; word <= random.nextInt(4); word++) {
                    var delta = "w" + random.nextInt(1000) + " ";
                    words.append(delta);
                    if (inDeltas) {
                        hint(
                                session,
                                "{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"%s\"}}"
                                        .formatted(delta));
                    }
                    if (random.nextInt(6) == 0) {
                        connection.close();
                        connection = new Connection(session, phone);
                    }
                }
                text.append(words);
                assistant(session, id, words.toString());
            }
            if (inDeltas) {
                hint(session, "{\"type\":\"message_stop\"}");
            }
            expected.put(id, text.toString());
        }
        events.append(
                session,
                List.of(
                        NewEvent.of(
                                session, TurnId.random(), EventType.DONE, RawJson.of("{}"), null)),
                (_, _) -> {});
        for (var each : alone ? List.of(phone) : List.of(phone, steady)) {
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> {
                                assertThat(each.texts()).as("seed %d", seed).isEqualTo(expected);
                                assertThat(each.ended.size())
                                        .isGreaterThanOrEqualTo(expected.size());
                            });
            assertThat(each.repeatedAfterConfirmation).as("seed %d", seed).isEmpty();
        }
        connection.close();
        if (other != null) {
            assertThat(steady.ended)
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(expected.keySet());
            other.close();
        }
    }

    /** A closing subscription interrupts its thread, which may be starting the broadcast. */
    @Test
    void broadcastOfInterruptedThreadKeepsOpenMessage() {
        var session = SessionId.random();
        var one = "one ".repeat(30_000); // a large event, which is read interruptibly
        assistant(session, "m", one);
        events.flush();
        busy = true;

        Thread.currentThread().interrupt();
        broadcasts.withBroadcast(session, broadcast -> broadcast);
        assertThat(Thread.interrupted()).isTrue();

        var phone = new Phone();
        try (var connection = new Connection(session, phone)) {
            connection.awaitLive();
            assistant(session, "m", "two ");
            await().untilAsserted(() -> assertThat(phone.texts()).containsEntry("m", one + "two "));
        }
    }

    private void hint(SessionId session, String event) {
        var data = RawJson.of("{\"type\":\"stream_event\",\"event\":" + event + "}");
        events.publishTransient(
                session, new LoggedEvent(0, TURN, EventType.MESSAGE, data, 0), () -> {});
    }

    private void assistant(SessionId session, String id, String text) {
        var data =
                "{\"type\":\"assistant\",\"message\":{\"id\":\"%s\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}}"
                        .formatted(id, text);
        events.submit(
                session,
                List.of(NewEvent.of(session, TURN, EventType.MESSAGE, RawJson.of(data), null)),
                (_, _) -> {},
                () -> {},
                _ -> {});
    }

    private SessionId endedSession(boolean logged) {
        var session = SessionId.random();
        assistant(session, "m", "text");
        if (logged) {
            events.append(
                    session,
                    List.of(NewEvent.lifecycle(session, "ended", JsonWriter.object())),
                    (_, _) -> {});
        }
        events.flush();
        return session;
    }

    /** Removes a session like a purge, which deletes the other rows after its first commit. */
    private void remove(SessionId session) {
        database.writer().write(_ -> session, events::onRemoved);
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate("DELETE FROM events WHERE session_id = :id")
                                        .bind("id", session.value())
                                        .execute());
    }

    private void assertEndsOnce(Phone phone) {
        await().atMost(Duration.ofSeconds(20)).until(() -> phone.sessionEnds() == 1);
        await().atMost(Duration.ofSeconds(20)).until(() -> events.subscriberCount() == 0);
        assertThat(phone.sessionEnds()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendsOneSessionEndToFollowersOfRemovedSession(boolean endLogged) {
        var session = endedSession(endLogged);
        var phone = new Phone();
        try (var _ = new Connection(session, phone)) {
            await().atMost(Duration.ofSeconds(20)).until(() -> !phone.texts().isEmpty());
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> broadcasts.withBroadcast(session, Broadcast::hasListeners));

            remove(session);

            assertEndsOnce(phone);
        }
    }

    @Test
    void sendsSessionEndAfterRemovalDuringReplay() throws Exception {
        var session = endedSession(false);
        assistant(session, "n", "text");
        events.flush();
        var phone = new Phone();
        var capacity = new CountDownLatch(1);
        try (var _ = new Connection(session, phone, capacity)) {
            await().atMost(Duration.ofSeconds(20)).until(() -> !phone.texts().isEmpty());

            remove(session);
            capacity.countDown();

            assertEndsOnce(phone);
        }
    }

    @Test
    void sendsSessionEndToDeviceThatFollowsRemovedSession() {
        var session = endedSession(true);
        remove(session);
        var phone = new Phone();
        try (var _ = new Connection(session, phone)) {
            assertEndsOnce(phone);
        }
    }

    @Test
    void endsBroadcastWithoutFollowersAfterTurn() throws Exception {
        var session = SessionId.random();
        busy = true;
        var connection = new Connection(session, new Phone());
        await().atMost(Duration.ofSeconds(20)).until(() -> events.subscriberCount() == 1);
        connection.close();
        events.flush();
        assertThat(events.subscriberCount()).isEqualTo(1);
        busy = false;
        events.append(
                session,
                List.of(
                        NewEvent.of(
                                session, TurnId.random(), EventType.DONE, RawJson.of("{}"), null)),
                (_, _) -> {});

        await().atMost(Duration.ofSeconds(20)).until(() -> events.subscriberCount() == 0);
    }
}
