package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Json;
import dev.ash.server.store.Database;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Approvals on a real database with simulated bridges, which accept one answer per open question
 * and ignore repetitions. Deliveries run only when the test calls {@link #runDeliveries}, and are
 * lost on a restart.
 */
final class ApprovalFixture implements AutoCloseable, Askers {
    static final TenantId TENANT = TenantId.DEFAULT;
    static final TenantId OTHER = new TenantId("other");

    final SessionId session = SessionId.random();
    final TestClock clock = new TestClock();
    final ArrayDeque<Runnable> pendingDeliveries = new ArrayDeque<>();
    final Map<SessionId, Bridge> live = new HashMap<>();
    final List<SessionId> woken = new ArrayList<>();
    final Path file;
    Optional<Duration> timeToLive = Optional.empty();
    boolean canWake = true;
    Database database;
    ApprovalStore store;
    SessionEvents events;
    Approvals approvals;
    ApprovalAnswers answers;
    private int bridges;

    ApprovalFixture(Path directory) {
        file = directory.resolve("ash.db");
        open();
    }

    /** Restarts the server on the same database, dropping pending deliveries. */
    void restart() {
        close();
        pendingDeliveries.clear();
        open();
    }

    private void open() {
        database = Database.open(file);
        store = new ApprovalStore(database);
        events = new SessionEvents(database, new EventStore(database), clock);
        createApprovals();
    }

    void createApprovals() {
        approvals = new Approvals(store, events, clock, timeToLive, this::enqueue);
        answers = new ApprovalAnswers(approvals, this, Map.of());
    }

    private synchronized boolean enqueue(SessionId owner, Runnable task) {
        return pendingDeliveries.add(task);
    }

    private synchronized Runnable next() {
        return pendingDeliveries.poll();
    }

    synchronized boolean hasPendingDeliveries() {
        return !pendingDeliveries.isEmpty();
    }

    /** Runs all pending deliveries. */
    void runDeliveries() {
        for (var task = next(); task != null; task = next()) {
            task.run();
        }
    }

    List<DecisionNotice> pendingNotices() {
        return approvals.pendingNotices(session, askerOf(session).map(Asker::bridgeId).orElse(""));
    }

    @Override
    public Optional<Asker> askerOf(SessionId id) {
        return Optional.ofNullable(live.get(id));
    }

    @Override
    public void wake(SessionId id) {
        if (!canWake) {
            throw new IllegalStateException("no free sandbox");
        }
        woken.add(id);
    }

    /** Replaces the session's bridge by a new one. */
    Bridge bridge() {
        var bridge = new Bridge(session, "bridge-" + ++bridges);
        live.put(session, bridge);
        return bridge;
    }

    static BridgeEvent.Approval call(String question, String tool, String input) {
        return call(question, BridgeEvent.Approval.Kind.TOOL, tool, input);
    }

    static BridgeEvent.Approval call(
            String question, BridgeEvent.Approval.Kind kind, String tool, String input) {
        return new BridgeEvent.Approval(
                question, kind, tool, RawJson.of(input), "use-" + question, "what it does");
    }

    static ApprovalApi.Decide approved() {
        return new ApprovalApi.Decide("approved", null, null, null);
    }

    static ApprovalApi.Decide approvedForSession() {
        return new ApprovalApi.Decide("approved", null, null, "session");
    }

    static ApprovalApi.Decide rejected(String message) {
        return new ApprovalApi.Decide("rejected", null, message, null);
    }

    static ApprovalApi.Decide modified(String input) {
        return new ApprovalApi.Decide("modified", RawJson.of(input), null, null);
    }

    Approval decide(Approval approval, ApprovalApi.Decide answer) {
        return answers.decide(TENANT, new ApprovalId(approval.id()), answer, "api");
    }

    List<Approval> all() {
        return list(Optional.empty());
    }

    List<Approval> pending() {
        return list(Optional.of(ApprovalStatus.PENDING));
    }

    private List<Approval> list(Optional<ApprovalStatus> status) {
        var filter =
                new ApprovalListStore.Filter(
                        TENANT, status, Optional.of(session), Optional.empty(), 1000);
        return store.lists().list(filter).stream().map(ApprovalRow::toApi).toList();
    }

    Approval only() {
        assertThat(all()).hasSize(1);
        return all().getFirst();
    }

    List<LoggedEvent> log(SessionId id) {
        try (var subscription = events.subscribe(id, 0)) {
            var found = new ArrayList<LoggedEvent>();
            for (var event = subscription.next(Duration.ZERO);
                    event != null;
                    event = subscription.next(Duration.ZERO)) {
                found.add(event);
            }
            return found;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    List<EventType> logged() {
        return log(session).stream().map(LoggedEvent::type).toList();
    }

    static Approval approval(LoggedEvent event) {
        return Json.read(event.data().toBytes(), Approval.class);
    }

    void turn(TurnId turn, String status) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .execute(
                                                "INSERT INTO turns (id, session_id, origin, status,"
                                                        + " started_at) VALUES (?, ?, 'client', ?, 0)"
                                                        + " ON CONFLICT (id) DO UPDATE SET status ="
                                                        + " excluded.status",
                                                turn.value(),
                                                session.value(),
                                                status));
    }

    boolean defer(Bridge bridge, String question, TurnId turn) {
        turn(turn, "deferred");
        bridge.open.remove(question);
        return database.writer()
                .write(
                        transaction ->
                                approvals.defer(transaction, session, bridge.bridgeId(), question));
    }

    List<NewEvent> cancelOpen(TurnId turn) {
        return database.writer()
                .write(
                        transaction ->
                                approvals.cancelOpen(transaction, session, turn, clock.millis()));
    }

    void markReported(List<DecisionNotice> notices) {
        database.writer()
                .write(
                        transaction -> {
                            approvals.markReported(transaction, notices, clock.millis());
                            return true;
                        });
    }

    @Override
    public void close() {
        answers.close();
        database.close();
    }

    /** One launch of a bridge. */
    final class Bridge implements Asker {
        final SessionId owner;
        final String id;
        TenantId tenant = TENANT;
        TurnId turn = TurnId.random();

        /** All received answers, and those accepted for an open question. */
        final List<BridgeCommand.Approve> received = new ArrayList<>();

        final List<BridgeCommand.Approve> accepted = new ArrayList<>();
        final Map<String, BridgeEvent.Approval> open = new HashMap<>();
        boolean broken;
        private long n;

        Bridge(SessionId owner, String id) {
            this.owner = owner;
            this.id = id;
        }

        @Override
        public SessionId session() {
            return owner;
        }

        @Override
        public String bridgeId() {
            return id;
        }

        @Override
        public synchronized void answer(BridgeCommand.Approve answer) throws IOException {
            if (broken) {
                throw new IOException("broken");
            }
            received.add(answer);
            if (open.remove(answer.id()) != null) {
                accepted.add(answer);
            }
        }

        /** Asks a new question; returns its number. */
        long ask(BridgeEvent.Approval question) {
            open.put(question.id(), question);
            ask(question, ++n);
            return n;
        }

        void ask(String question, String tool, String input) {
            ask(call(question, tool, input));
        }

        void ask(BridgeEvent.Approval question, long number) {
            await(
                    (committed, failed) ->
                            approvals.ask(
                                    this,
                                    tenant,
                                    owner,
                                    turn,
                                    question,
                                    new BridgePosition(id, number),
                                    committed,
                                    failed));
        }

        void abandon(String question) {
            open.remove(question);
            await(
                    (committed, failed) ->
                            approvals.abandon(
                                    owner,
                                    new BridgePosition(id, ++n),
                                    question,
                                    committed,
                                    failed));
        }
    }

    private interface Call {
        void start(Runnable committed, java.util.function.Consumer<ApiException> failed);
    }

    private static void await(Call call) {
        var done = new CompletableFuture<Void>();
        call.start(() -> done.complete(null), done::completeExceptionally);
        done.orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** A clock that tests set manually. */
    static final class TestClock extends Clock {
        private final AtomicLong now = new AtomicLong(1_700_000_000_000L);

        void add(Duration time) {
            now.addAndGet(time.toMillis());
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(now.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
