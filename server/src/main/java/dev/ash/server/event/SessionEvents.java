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
    private final Set<Tail> grown = new HashSet<>(); // since the last commit; the writer's alone
    private final Map<EventType, List<Listener>> listeners = new ConcurrentHashMap<>();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicInteger watchers = new AtomicInteger();

    public SessionEvents(Database database, EventStore store, Clock clock) {
        this.database = database;
        this.store = store;
        this.clock = clock;
        database.writer().afterGroup(this::wake);
    }

    /** Receives committed events on the writer's thread, so it must be quick. */
    public interface Listener {
        void committed(SessionId session, LoggedEvent event);
    }

    public void listen(Set<EventType> types, Listener listener) {
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
    public void hint(SessionId session, LoggedEvent hint, Runnable published) {
        database.writer()
                .submit(
                        _ -> hint,
                        _ -> {
                            show(session, List.of(hint));
                            published.run();
                        },
                        _ -> {
                            showAtOnce(session, hint);
                            published.run();
                        });
    }

    /** Perhaps not on the writer's thread, and perhaps no group follows that would wake readers. */
    private void showAtOnce(SessionId session, LoggedEvent hint) {
        var tail = tails.get(session);
        if (tail != null) {
            tail.add(List.of(hint));
            tail.wake();
        }
    }

    /** Runs the action on the writer's thread, after everything that was queued before it. */
    public void inOrder(Runnable action) {
        database.writer().submit(_ -> action, Runnable::run, _ -> action.run());
    }

    /** The number of the last event of a bridge that is in the log; 0 for none. */
    public long lastOf(SessionId session, String bridgeId) {
        return store.lastOf(session, bridgeId);
    }

    /** The number of the first event of a turn; 0 if it has none yet. */
    public long firstOf(SessionId session, TurnId turn) {
        return store.firstOf(session, turn);
    }

    private void publish(SessionId session, List<LoggedEvent> events) {
        stored.setPlain(stored.getPlain() + events.size()); // only the writer's thread adds
        show(session, events);
        for (var event : events) {
            for (var listener : listeners.getOrDefault(event.type(), List.of())) {
                listener.committed(session, event);
            }
        }
    }

    private void show(SessionId session, List<LoggedEvent> events) {
        var tail = tails.get(session);
        if (tail != null) {
            tail.add(events);
            grown.add(tail);
        }
        KillPoint.EVENT_PUBLISHED.reached();
    }

    private void wake() {
        grown.forEach(Tail::wake);
        grown.clear();
    }

    /**
     * Ends the watchers of a session that was removed, those to come included, and refuses further
     * events of it. For the writer's thread, after the removal's commit.
     */
    public void removed(SessionId session) {
        store.remove(session);
        var tail = tails.get(session);
        if (tail != null) {
            tail.close();
        }
    }

    /** The number of the last event in the log; 0 for none. */
    public long last(SessionId session) {
        return store.lastSeq(session).orElse(0);
    }

    /** Told of each event of a page of the log, which it must not keep if it is large. */
    public interface Reading {
        /** Whether to go on. */
        boolean read(LoggedEvent event) throws InterruptedException;
    }

    /** Reads the log after this event, at most {@code limit} events, in batches of few bytes. */
    public void read(SessionId session, long after, int limit, Reading reading)
            throws InterruptedException {
        try (var log = new LogReader(store, session)) {
            read(log, session, after, limit, reading);
        }
    }

    /** The same without waiting: it ends before a large event for which there is no memory now. */
    public void readAtOnce(SessionId session, long after, int limit, Reading reading)
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

    private void read(LogReader log, SessionId session, long after, int limit, Reading reading)
            throws InterruptedException {
        long last = after;
        int left = limit;
        boolean more = true;
        while (more && left > 0) {
            var batch = log.read(store.after(session, last, left));
            for (var row : batch.rows()) {
                last = row.event().seq();
                left--;
                if (!reading.read(row.event())) {
                    return;
                }
            }
            more = !batch.isWhole();
        }
    }

    /**
     * Follows a session from just after {@code seq}: first the log, then live, each event once. A
     * number that the log has not reached yet cannot have been seen: it means the end.
     */
    public Watcher watch(SessionId session, long seq) {
        var tail =
                tails.compute(
                        session,
                        (_, present) -> (present == null ? new Tail() : present).watched());
        watchers.incrementAndGet();
        Runnable leave =
                () -> {
                    watchers.decrementAndGet();
                    tails.compute(session, (_, present) -> leave(present, tail));
                };
        if (store.isRemoved(session)) {
            tail.close();
        }
        try {
            long from = seq == 0 ? 0 : Math.min(seq, store.lastSeq(session).orElse(0));
            return new Watcher(session, from, tail, store, leave);
        } catch (RuntimeException e) {
            leave.run();
            throw e;
        }
    }

    /** Follows a session from now on, without a look at the log. */
    public Watcher watchLive(SessionId session) {
        return watch(session, 0).live();
    }

    private static @Nullable Tail leave(@Nullable Tail present, Tail left) {
        return left.unwatched() && present == left ? null : present;
    }

    /** Events committed since the server started. */
    public long stored() {
        return stored.get();
    }

    /** Watchers that are open now. */
    public int watchers() {
        return watchers.get();
    }
}
