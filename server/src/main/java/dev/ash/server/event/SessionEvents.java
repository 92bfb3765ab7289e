package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
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
 * Where events are numbered, committed and then shown. A session that someone watches has a {@link
 * Tail}, its latest events in memory; watchers that are further back read the log.
 */
public final class SessionEvents {
    private final Database database;
    private final EventStore store;
    private final Clock clock;
    private final ConcurrentHashMap<SessionId, Tail> tails = new ConcurrentHashMap<>();
    private final Set<Tail> changedTails =
            new HashSet<>(); // since the last commit; the writer's alone
    private final Map<EventType, List<Listener>> listeners = new ConcurrentHashMap<>();
    private final AtomicLong committedCount = new AtomicLong();
    private final AtomicInteger subscriberCount = new AtomicInteger();

    public SessionEvents(Database database, EventStore store, Clock clock) {
        this.database = database;
        this.store = store;
        this.clock = clock;
        database.writer().afterGroup(this::wakeSubscribers);
    }

    /** Receives committed events on the writer's thread, so it must be quick. */
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

    /** The same for events that are known beforehand. */
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

    /** The same for events that are known beforehand. */
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
            logged.add(store.append(transaction, event, now));
        }
        return new Committed<>(logged, commit.value());
    }

    /** Returns once all units that were queued before are committed or have failed. */
    public void flush() {
        database.writer().flush();
    }

    /**
     * Publishes an event that is in no log, after everything that was queued before it; also where
     * the log cannot be written, for it may be about just that.
     */
    public void publishTransient(SessionId session, LoggedEvent hint, Runnable published) {
        database.writer()
                .submit(
                        _ -> hint,
                        _ -> {
                            addToTail(session, List.of(hint));
                            published.run();
                        },
                        _ -> {
                            addToTailAndWake(session, hint);
                            published.run();
                        });
    }

    /** Perhaps not on the writer's thread, and perhaps no group follows that would wake readers. */
    private void addToTailAndWake(SessionId session, LoggedEvent hint) {
        var tail = tails.get(session);
        if (tail != null) {
            tail.add(List.of(hint));
            tail.wake();
        }
    }

    /** Runs the action on the writer's thread, after everything that was queued before it. */
    public void runInOrder(Runnable action) {
        database.writer().submit(_ -> action, Runnable::run, _ -> action.run());
    }

    /** The number of the last event of a bridge that is in the log; 0 for none. */
    public long lastOfBridge(SessionId session, String bridgeId) {
        return store.lastOfBridge(session, bridgeId);
    }

    /** The number of the first event of a turn; 0 if it has none yet. */
    public long firstOfTurn(SessionId session, TurnId turn) {
        return store.firstOfTurn(session, turn);
    }

    private void publish(SessionId session, List<LoggedEvent> events) {
        committedCount.setPlain(
                committedCount.getPlain() + events.size()); // only the writer's thread adds
        addToTail(session, events);
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
     * Ends the watchers of a session that was removed, those to come included, and refuses further
     * events of it. For the writer's thread, after the removal's commit.
     */
    public void onRemoved(SessionId session) {
        store.markRemoved(session);
        var tail = tails.get(session);
        if (tail != null) {
            tail.close();
        }
    }

    /** The number of the last event in the log; 0 for none. */
    public long lastSeq(SessionId session) {
        return store.lastSeq(session).orElse(0);
    }

    /** Told of each event of a page of the log, which it must not keep if it is large. */
    public interface EventVisitor {
        /** Whether to go on. */
        boolean visit(LoggedEvent event) throws InterruptedException;
    }

    /** Reads the log after this event, at most {@code limit} events, in batches of few bytes. */
    public void read(SessionId session, long after, int limit, EventVisitor reading)
            throws InterruptedException {
        try (var log = new LogReader(store, session)) {
            read(log, session, after, limit, reading);
        }
    }

    /** The same without waiting: it ends before a large event for which there is no memory now. */
    public void readWithoutWaiting(SessionId session, long after, int limit, EventVisitor reading)
            throws InterruptedException {
        var budget = MemoryBudgets.ofProcess().reads();
        try (var log = new LogReader(store, session, budget, Duration.ZERO)) {
            read(log, session, after, limit, reading);
        } catch (ApiException e) {
            if (e.code() != ErrorCode.CAPACITY_REACHED) {
                throw e;
            }
        }
    }

    private void read(LogReader log, SessionId session, long after, int limit, EventVisitor reading)
            throws InterruptedException {
        long last = after;
        int left = limit;
        boolean more = true;
        while (more && left > 0) {
            var batch = log.read(store.after(session, last, left));
            for (var row : batch.rows()) {
                last = row.event().seq();
                left--;
                if (!reading.visit(row.event())) {
                    return;
                }
            }
            more = !batch.isComplete();
        }
    }

    /**
     * Follows a session from just after {@code seq}: first the log, then live, each event once. A
     * number that the log has not reached yet cannot have been seen: it means the end.
     */
    public EventSubscription subscribe(SessionId session, long seq) {
        var tail =
                tails.compute(
                        session,
                        (_, present) -> (present == null ? new Tail() : present).addSubscriber());
        subscriberCount.incrementAndGet();
        Runnable leave =
                () -> {
                    subscriberCount.decrementAndGet();
                    tails.compute(session, (_, present) -> unsubscribe(present, tail));
                };
        if (store.isRemoved(session)) {
            tail.close();
        }
        try {
            long from = seq == 0 ? 0 : Math.min(seq, store.lastSeq(session).orElse(0));
            return new EventSubscription(session, from, tail, store, leave);
        } catch (RuntimeException e) {
            leave.run();
            throw e;
        }
    }

    /** Follows a session from now on, without a look at the log. */
    public EventSubscription subscribeLive(SessionId session) {
        return subscribe(session, 0).startLive();
    }

    private static @Nullable Tail unsubscribe(@Nullable Tail present, Tail left) {
        return left.removeSubscriber() && present == left ? null : present;
    }

    /** Events committed since the server started. */
    public long committedCount() {
        return committedCount.get();
    }

    /** Watchers that are open now. */
    public int subscriberCount() {
        return subscriberCount.get();
    }
}
