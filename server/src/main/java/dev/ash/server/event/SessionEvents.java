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
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicInteger watchers = new AtomicInteger();

    public SessionEvents(Database database, EventStore store, Clock clock) {
        this.database = database;
        this.store = store;
        this.clock = clock;
        database.writer().afterGroup(this::wake);
    }

    /** Told of every event that is no message, on the writer's thread: it must be quick. */
    public interface Listener {
        void committed(SessionId session, LoggedEvent event);
    }

    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /** Statements that must commit together with an event. */
    public interface Also {
        void run(Transaction transaction, long now);
    }

    /**
     * Queues events of one session as one unit of work, together with whatever else must become
     * true with them. {@code committed} and {@code failed} run on the writer's thread.
     */
    public void append(
            SessionId session,
            List<NewEvent> events,
            Also also,
            Runnable committed,
            Consumer<ApiException> failed) {
        var logged = new Appended();
        database.writer()
                .submit(
                        transaction -> logged.events = insert(transaction, events, also),
                        () -> {
                            committed(session, logged.events);
                            committed.run();
                        },
                        failed::accept);
    }

    /** The same, waiting for the commit; returns the events with their numbers. */
    public List<LoggedEvent> appendNow(SessionId session, List<NewEvent> events, Also also) {
        return database.writer()
                .write(
                        transaction -> insert(transaction, events, also),
                        logged -> committed(session, logged));
    }

    /** Returns once everything that was queued before is committed. */
    public void flush(SessionId session) {
        appendNow(session, List.of(), (_, _) -> {});
    }

    /**
     * Shows an event that is in no log, after everything that was queued before it; also where the
     * log cannot be written, for it may be about just that.
     */
    public void hint(SessionId session, LoggedEvent hint, Runnable shown) {
        database.writer()
                .submit(
                        _ -> {},
                        () -> {
                            show(session, List.of(hint));
                            shown.run();
                        },
                        _ -> {
                            showAtOnce(session, hint);
                            shown.run();
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
        database.writer().submit(_ -> {}, action, _ -> action.run());
    }

    /** The number of the last event of a bridge that is in the log; 0 for none. */
    public long lastOf(SessionId session, String bridgeId) {
        return store.lastOf(session, bridgeId);
    }

    /** The number of the first event of a turn; 0 if it has none yet. */
    public long firstOf(SessionId session, TurnId turn) {
        return store.firstOf(session, turn);
    }

    private List<LoggedEvent> insert(Transaction transaction, List<NewEvent> events, Also also) {
        long now = clock.millis();
        also.run(transaction, now);
        var logged = new ArrayList<LoggedEvent>(events.size());
        for (var event : events) {
            logged.add(store.append(transaction, event, now));
        }
        return logged;
    }

    private void committed(SessionId session, List<LoggedEvent> events) {
        stored.setPlain(stored.getPlain() + events.size()); // only the writer's thread adds
        show(session, events);
        for (var event : events) {
            if (event.type() != EventType.MESSAGE) {
                listeners.forEach(listener -> listener.committed(session, event));
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

    private static final class Appended {
        private List<LoggedEvent> events = List.of();
    }
}
