package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.store.Database;
import dev.ash.server.store.KillPoint;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends events to the log and publishes them to subscribers after the commit. A session with
 * subscribers has a {@link Tail}, its latest events in memory; subscribers that are further behind
 * read the log.
 */
public final class SessionEvents {
    private final Database database;
    private final EventStore store;
    private final Clock clock;
    private final ByteBudget budget;
    private final ConcurrentHashMap<SessionId, Tail> tails = new ConcurrentHashMap<>();
    private final Set<Tail> changedTails =
            new HashSet<>(); // since the last commit; confined to the writer's thread

    /** The events of each session that are being committed or are not yet published. */
    private final Map<SessionId, Range> unpublished = new ConcurrentHashMap<>();

    private final Map<EventType, List<Listener>> listeners = new ConcurrentHashMap<>();
    private final AtomicLong committedCount = new AtomicLong();
    private final AtomicInteger subscriberCount = new AtomicInteger();

    public SessionEvents(Database database, EventStore store, Clock clock) {
        this(database, store, clock, MemoryBudgets.ofProcess().tails());
    }

    SessionEvents(Database database, EventStore store, Clock clock, ByteBudget budget) {
        this.budget = budget;
        this.database = database;
        this.store = store;
        this.clock = clock;
        database.writer().afterGroup(this::wakeSubscribers);
        database.writer().onRollback(unpublished::clear); // the units run again
    }

    /** Receives committed events on the writer's thread; must not block. */
    public interface Listener {
        void onCommit(SessionId session, LoggedEvent event);
    }

    public void addListener(Set<EventType> types, Listener listener) {
        for (var type : types) {
            listeners.computeIfAbsent(type, _ -> new CopyOnWriteArrayList<>()).add(listener);
        }
    }

    /** Statements that commit together with events. May run twice. */
    public interface Statements {
        void run(Transaction transaction, long now);
    }

    /**
     * A unit of work of one session: runs its statements and returns the events to append in the
     * same transaction. May run twice, so it changes nothing but the database.
     */
    public interface Unit<T> {
        Commit<T> run(Transaction transaction, long now);
    }

    /** Runs the unit and returns once it is committed. */
    public <T> Committed<T> commit(SessionId session, Unit<T> unit) {
        return database.writer()
                .write(
                        transaction -> run(transaction, unit),
                        committed -> publish(session, committed.events()));
    }

    /** Appends the events together with other statements, and returns once they are committed. */
    public List<LoggedEvent> append(
            SessionId session, List<NewEvent> events, Statements statements) {
        return commit(session, unit(events, statements)).events();
    }

    /** Queues the unit. {@code committed} and {@code failed} run on the writer's thread. */
    public <T> void submit(
            SessionId session,
            Unit<T> unit,
            Consumer<Committed<T>> committed,
            Consumer<ApiException> failed) {
        database.writer()
                .submit(
                        transaction -> run(transaction, unit),
                        result -> {
                            publish(session, result.events());
                            committed.accept(result);
                        },
                        failed::accept);
    }

    /** Queues the events together with other statements. */
    public void submit(
            SessionId session,
            List<NewEvent> events,
            Statements statements,
            Runnable committed,
            Consumer<ApiException> failed) {
        submit(session, unit(events, statements), _ -> committed.run(), failed);
    }

    private static Unit<List<NewEvent>> unit(List<NewEvent> events, Statements statements) {
        return (transaction, now) -> {
            statements.run(transaction, now);
            return Commit.of(events);
        };
    }

    private <T> Committed<T> run(Transaction transaction, Unit<T> unit) {
        long now = clock.millis();
        var commit = unit.run(transaction, now);
        var logged = new ArrayList<LoggedEvent>(commit.events().size());
        for (var event : commit.events()) {
            var appended = store.append(transaction, event, now);
            logged.add(appended);
            unpublished.compute(
                    event.session(), (_, present) -> Range.extend(present, appended.seq()));
        }
        return new Committed<>(logged, commit.value());
    }

    /** Waits until all units that were queued before are committed or have failed. */
    public void flush() {
        database.writer().flush();
    }

    /**
     * Publishes an event without storing it, after all units that were queued before. Also
     * publishes it if the log cannot be written: the event may report that failure.
     */
    public void publishTransient(SessionId session, LoggedEvent event, Runnable published) {
        database.writer()
                .submit(
                        _ -> event,
                        _ -> {
                            addToTail(session, List.of(event));
                            published.run();
                        },
                        _ -> {
                            addToTailAndWake(session, event);
                            published.run();
                        });
    }

    /** Not necessarily on the writer's thread, so no later commit may wake the subscribers. */
    private void addToTailAndWake(SessionId session, LoggedEvent event) {
        var tail = tails.get(session);
        if (tail != null) {
            tail.add(List.of(event));
            tail.wake();
        }
    }

    /** Runs the action on the writer's thread, after all units that were queued before. */
    public void runInOrder(Runnable action) {
        database.writer().submit(_ -> action, Runnable::run, _ -> action.run());
    }

    /** Returns the bridge's number of its last event in the log; 0 for none. */
    public long lastOfBridge(SessionId session, String bridgeId) {
        return store.lastOfBridge(session, bridgeId);
    }

    /** Returns the number of the prompt of a turn, its first event; 0 for none. */
    public long firstOfTurn(SessionId session, TurnId turn) {
        return store.firstOfTurn(session, turn);
    }

    private void publish(SessionId session, List<LoggedEvent> events) {
        committedCount.setPlain(
                committedCount.getPlain() + events.size()); // only the writer's thread writes it
        addToTail(session, events);
        if (!events.isEmpty()) {
            long last = events.getLast().seq();
            unpublished.computeIfPresent(session, (_, present) -> present.after(last));
        }
        for (var event : events) {
            for (var listener : listeners.getOrDefault(event.type(), List.of())) {
                listener.onCommit(session, event);
            }
        }
    }

    private void addToTail(SessionId session, List<LoggedEvent> events) {
        var tail = tails.get(session);
        if (tail != null) {
            tail.add(events);
            changedTails.add(tail);
        }
        KillPoint.EVENT_PUBLISHED.reached();
    }

    private void wakeSubscribers() {
        changedTails.forEach(Tail::wake);
        changedTails.clear();
    }

    /**
     * Closes the current and future subscriptions of a removed session and rejects further events.
     * Called on the writer's thread after the removal is committed.
     */
    public void onRemoved(SessionId session) {
        store.markRemoved(session);
        var tail = tails.get(session);
        if (tail != null) {
            tail.close();
        }
    }

    /** Returns the number of the last event in the log; 0 for none. */
    public long lastSeq(SessionId session) {
        return store.lastSeq(session).orElse(0);
    }

    /** Visits the events of a page of the log; must not retain large ones. */
    public interface EventVisitor {
        /** Returns whether to continue. */
        boolean visit(LoggedEvent event) throws InterruptedException;
    }

    /** Reads at most {@code limit} events after this one, in small batches. */
    public void read(SessionId session, long after, int limit, EventVisitor visitor)
            throws InterruptedException {
        try (var log = new LogReader(store, session)) {
            read(log, session, after, limit, visitor);
        }
    }

    /** The same without waiting: stops before a large event that exceeds the memory budget. */
    public void readWithoutWaiting(SessionId session, long after, int limit, EventVisitor visitor)
            throws InterruptedException {
        var budget = MemoryBudgets.ofProcess().reads();
        try (var log = new LogReader(store, session, budget, Duration.ZERO)) {
            read(log, session, after, limit, visitor);
        } catch (ApiException e) {
            if (e.code() != ErrorCode.CAPACITY_REACHED) {
                throw e;
            }
        }
    }

    private void read(LogReader log, SessionId session, long after, int limit, EventVisitor visitor)
            throws InterruptedException {
        long last = after;
        int remaining = limit;
        boolean hasMore = true;
        while (hasMore && remaining > 0) {
            var batch = log.read(store.after(session, last, remaining));
            for (var row : batch.rows()) {
                last = row.event().seq();
                remaining--;
                if (!visitor.visit(row.event())) {
                    return;
                }
            }
            hasMore = !batch.isComplete();
        }
    }

    /**
     * Subscribes to the events after {@code seq}: first from the log, then live, each event once. A
     * number beyond the end of the log means its end.
     */
    public EventSubscription subscribe(SessionId session, long seq) {
        var tenant = store.tenantOf(session);
        var tail =
                tails.compute(
                        session,
                        (_, present) ->
                                (present == null ? new Tail(tenant, budget) : present)
                                        .addSubscriber());
        subscriberCount.incrementAndGet();
        Runnable unsubscribe =
                () -> {
                    subscriberCount.decrementAndGet();
                    tails.compute(session, (_, present) -> unsubscribe(present, tail));
                };
        if (store.isRemoved(session)) {
            tail.close();
        }
        try {
            long from = seq == 0 ? 0 : Math.min(seq, store.lastSeq(session).orElse(0));
            return new EventSubscription(
                    session, from, tail, store, last -> isPending(session, last), unsubscribe);
        } catch (RuntimeException e) {
            unsubscribe.run();
            throw e;
        }
    }

    private boolean isPending(SessionId session, long seq) {
        var range = unpublished.get(session);
        return range != null && range.first <= seq && seq <= range.last;
    }

    /** Numbers of successive events. */
    private record Range(long first, long last) {
        static Range extend(@Nullable Range present, long seq) {
            return new Range(present == null ? seq : present.first, seq);
        }

        /** Returns the part after {@code seq}; null if it is empty. */
        @Nullable Range after(long seq) {
            return last <= seq ? null : new Range(seq + 1, last);
        }
    }

    /** Subscribes to the events from now on, without reading the log. */
    public EventSubscription subscribeLive(SessionId session) {
        return subscribe(session, 0).startLive();
    }

    private static @Nullable Tail unsubscribe(@Nullable Tail present, Tail tail) {
        return tail.removeSubscriber() && present == tail ? null : present;
    }

    /** Returns the number of events committed since the server started. */
    public long committedCount() {
        return committedCount.get();
    }

    /** Returns the number of open subscriptions. */
    public int subscriberCount() {
        return subscriberCount.get();
    }
}
