package dev.ash.bridge;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.Failure;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The session's work, one piece after another on one thread, which alone opens, prompts and
 * replaces the engine. Commands only queue; the lock guards what they and the thread share.
 */
final class Turns implements AutoCloseable {
    private static final int MAX_WAITING = 100;

    private final BridgeSession session;
    private final TurnEvents events;
    private final Timing timing;
    private final EngineSlot slot;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final ArrayDeque<Work> waiting = new ArrayDeque<>();
    private final RecentIds knownTurns = new RecentIds();
    private @Nullable Work current;
    private boolean closed;

    /** A turn, or a {@code resume} where there is none. */
    private record Work(@Nullable Turn turn) {}

    Turns(BridgeSession session, Outbox outbox, Timing timing) {
        this.session = session;
        this.timing = timing;
        this.events = new TurnEvents(outbox, session::id, timing);
        this.slot = new EngineSlot(session, events);
        Thread.ofVirtual().name("turns").start(this::work);
    }

    /** Ignored if its turn is known: the server sends again what it is not sure of. */
    void query(Query query) {
        var turn = new Turn(query.turnId(), query.prompt(), query.options());
        lock.lock();
        try {
            if (query.turnId() != null && !knownTurns.add(query.turnId())) {
                return;
            }
            session.is(query.sessionId());
            timing.received(turn);
            enqueue(new Work(turn));
        } finally {
            lock.unlock();
        }
    }

    void resume(String sessionId) {
        lock.lock();
        try {
            session.is(sessionId);
            enqueue(new Work(null));
        } finally {
            lock.unlock();
        }
    }

    private void enqueue(Work work) {
        if (waiting.size() < MAX_WAITING) {
            waiting.addLast(work);
            news.signalAll();
        } else {
            // On a thread of its own, because reporting may block and commands must not.
            Thread.ofVirtual()
                    .start(
                            () ->
                                    fail(
                                            work.turn(),
                                            MAX_WAITING
                                                    + " prompts are waiting already; send this one"
                                                    + " again later"));
        }
    }

    /** What the bridge is doing, for a server that comes back to it. */
    Attached state() {
        var turn = openTurn();
        return new Attached(turn == null ? null : turn.id(), turn != null);
    }

    /** The running turn, or the one that is about to run, or one that the engine began itself. */
    private @Nullable Turn openTurn() {
        lock.lock();
        try {
            var running = running();
            var next = running != null ? running : firstWaiting();
            return next != null ? next : events.ownTurn();
        } finally {
            lock.unlock();
        }
    }

    /** Without an id whatever turn is open; one that is over or not known hits nothing. */
    void interrupt(@Nullable String turnId) {
        if (turnId != null) {
            interrupt(find(turnId));
        } else {
            interrupt(events.ownTurn());
            interrupt(openTurn());
        }
    }

    private void interrupt(@Nullable Turn turn) {
        var engine = slot.current();
        if (turn != null) {
            turn.interrupt();
        }
        if (turn != null && engine != null) {
            engine.interrupt(turn);
        }
    }

    private @Nullable Turn find(String turnId) {
        lock.lock();
        try {
            var running = running();
            if (running != null && turnId.equals(running.id())) {
                return running;
            }
            for (var work : waiting) {
                if (work.turn() != null && turnId.equals(work.turn().id())) {
                    return work.turn();
                }
            }
            var own = events.ownTurn();
            return own != null && turnId.equals(own.id()) ? own : null;
        } finally {
            lock.unlock();
        }
    }

    /** Not one that is over: its {@code done} may have been seen before this thread moves on. */
    private @Nullable Turn running() {
        var turn = current == null ? null : current.turn();
        return turn == null || turn.ended() ? null : turn;
    }

    private @Nullable Turn firstWaiting() {
        for (var work : waiting) {
            if (work.turn() != null) {
                return work.turn();
            }
        }
        return null;
    }

    private void work() {
        for (var work = next(); work != null; work = next()) {
            var turn = work.turn();
            try {
                if (turn == null) {
                    resume();
                } else {
                    run(turn);
                }
            } catch (RuntimeException | Error e) {
                System.err.println("bridge: a turn failed unforeseen: " + e);
                e.printStackTrace();
                fail(
                        turn,
                        "The bridge failed unforeseen; the sandbox's stderr log has the details");
            }
        }
    }

    private @Nullable Work next() {
        lock.lock();
        try {
            current = null;
            while (waiting.isEmpty() && !closed) {
                news.awaitUninterruptibly();
            }
            current = closed ? null : waiting.pollFirst();
            return current;
        } finally {
            lock.unlock();
        }
    }

    private void run(Turn turn) {
        timing.prompted(turn);
        try {
            slot.engine().prompt(turn);
            events.turnEnded(turn, null);
        } catch (EngineException e) {
            fail(turn, e.sentence());
        }
    }

    private void resume() {
        try {
            slot.engine().start();
            events.done(null, null);
        } catch (EngineException e) {
            fail(null, e.sentence());
        }
    }

    private void fail(@Nullable Turn turn, String sentence) {
        var failure = new Failure(sentence, false);
        if (turn == null) {
            events.done(null, failure);
        } else {
            events.turnEnded(turn, failure);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
        slot.close();
    }
}
