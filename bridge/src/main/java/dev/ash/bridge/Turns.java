package dev.ash.bridge;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.Failure;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeCommand.Continue;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import dev.ash.protocol.json.RawJson;
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
    private final EngineStart engineStart;
    private final EngineSlot slot;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final ArrayDeque<Work> waiting = new ArrayDeque<>();
    private final RecentIds knownTurns = new RecentIds();
    private @Nullable Work current;

    /** The turn that was laid aside in this bridge and may be continued in it. */
    private @Nullable String laidAside;

    private boolean closed;

    Turns(BridgeSession session, Outbox outbox, Timing timing, EngineStart engineStart) {
        this.session = session;
        this.timing = timing;
        this.engineStart = engineStart;
        this.events = new TurnEvents(outbox, session::id, timing);
        this.slot = new EngineSlot(session, events);
        Thread.ofVirtual().name("turns").start(this::work);
    }

    /**
     * Called after each change of the session's configuration; starts the engine where it is to
     * start early. Prompts, {@code resume} and {@code continue} start it where it does not run.
     */
    void configured() {
        if (engineStart == EngineStart.CONFIGURE) {
            lock.lock();
            try {
                enqueue(new Work.Start());
            } finally {
                lock.unlock();
            }
        }
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
            enqueue(new Work.Prompt(turn));
        } finally {
            lock.unlock();
        }
    }

    /** Ignored like a query, unless its turn was laid aside here. */
    void continueTurn(Continue command) {
        var turn = new Turn(command.turnId(), RawJson.NULL, command.options());
        lock.lock();
        try {
            if (!knownTurns.add(command.turnId()) && !command.turnId().equals(laidAside)) {
                return;
            }
            laidAside = null;
            session.is(command.sessionId());
            timing.received(turn);
            enqueue(new Work.Continue(turn));
        } finally {
            lock.unlock();
        }
    }

    void resume(String sessionId) {
        lock.lock();
        try {
            session.is(sessionId);
            enqueue(new Work.Resume());
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
            var why = MAX_WAITING + " prompts are waiting already; send this one again later";
            Thread.ofVirtual().start(() -> fail(work, why));
        }
    }

    /** Answered by {@code resting}; may block. */
    void rest() {
        Turn turn;
        String question = null;
        try {
            turn = turnToLayAside();
            if (turn != null) {
                question = engine().layAside(turn);
            }
        } catch (EngineException e) {
            events.resting(e.message(), null);
            return;
        }
        lock.lock();
        try {
            if (turn == null) {
                enqueue(new Work.Rest(null));
            } else {
                laidAside = turn.id();
                waiting.addFirst(new Work.Rest(question)); // a prompt would spoil what lies aside
                news.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The turn that runs; null if none does. */
    private @Nullable Turn turnToLayAside() throws EngineException {
        lock.lock();
        try {
            if (firstWaiting() != null) {
                throw new EngineException("A prompt is waiting");
            }
            if (events.ownTurn() != null) {
                throw new EngineException("The engine is in a turn that it began by itself");
            }
            return running();
        } finally {
            lock.unlock();
        }
    }

    private EngineSession engine() throws EngineException {
        var engine = slot.current();
        if (engine == null) {
            throw new EngineException("The turn is only beginning");
        }
        return engine;
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

    void answer(Approve decision) {
        var engine = slot.current();
        if (engine != null) {
            engine.answer(decision);
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
            try {
                run(work);
            } catch (EngineException e) {
                fail(work, e.message());
            } catch (RuntimeException | Error e) {
                System.err.println("bridge: a turn failed unforeseen: " + e);
                e.printStackTrace();
                fail(
                        work,
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

    private void run(Work work) throws EngineException {
        switch (work) {
            case Work.Prompt(var turn) -> {
                timing.prompted(turn);
                slot.engine().prompt(turn);
                events.turnEnded(turn, null);
            }
            case Work.Continue(var turn) -> {
                timing.prompted(turn);
                slot.engine().continueTurn(turn);
                events.turnEnded(turn, null);
            }
            case Work.Resume() -> {
                slot.engine().start();
                events.done(null, null);
            }
            case Work.Start() -> slot.engine().start();
            case Work.Rest(var question) -> {
                var engine = slot.current();
                if (engine != null) {
                    engine.rest();
                }
                events.resting(null, question);
            }
        }
    }

    private void fail(Work work, String sentence) {
        var failure = new Failure(sentence, false);
        switch (work) {
            case Work.Prompt(var turn) -> events.turnEnded(turn, failure);
            case Work.Continue(var turn) -> events.turnEnded(turn, failure);
            case Work.Resume() -> events.done(null, failure);
            case Work.Start() ->
                    System.err.println("bridge: the engine did not start early: " + sentence);
            case Work.Rest(var question) -> events.resting(sentence, question);
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
