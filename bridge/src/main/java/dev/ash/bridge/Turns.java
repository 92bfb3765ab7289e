package dev.ash.bridge;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.engine.TurnFailure;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeCommand.Continue;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeCommand.Steer;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The work queue of the session. One thread runs it; only this thread opens, prompts and replaces
 * the engine. Commands only enqueue work. The lock guards the shared state.
 */
final class Turns implements AutoCloseable {
    private static final int MAX_QUEUED = 100;

    private final BridgeSession session;
    private final TurnEvents events;
    private final Timing timing;
    private final EngineSlot slot;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Work> queue = new ArrayDeque<>();
    private final RecentIds receivedTurns = new RecentIds();
    private @Nullable Work current;

    /** The turn whose question this bridge deferred; it can be continued in this bridge. */
    private @Nullable String deferredTurn;

    private boolean closed;

    Turns(BridgeSession session, Outbox outbox, Timing timing) {
        this.session = session;
        this.timing = timing;
        this.events = new TurnEvents(outbox, session::id, timing);
        this.slot = new EngineSlot(session, events);
        Thread.ofPlatform().daemon().name("turns").start(this::runQueue);
    }

    /**
     * Starts the engine before the first prompt. Prompts, {@code resume} and {@code continue} start
     * an engine that is not running.
     */
    void start() {
        lock.lock();
        try {
            enqueue(new Work.Start());
        } finally {
            lock.unlock();
        }
    }

    /** Enqueues a prompt; ignores retransmissions of a received turn. */
    void query(Query query) {
        var turn = new Turn(query.turnId(), query.prompt(), query.options());
        lock.lock();
        try {
            if (query.turnId() != null && !receivedTurns.add(query.turnId())) {
                return;
            }
            session.setId(query.sessionId());
            timing.received(turn);
            enqueue(new Work.Prompt(turn));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Enqueues the continuation of a turn; ignores retransmissions, except of the deferred turn.
     */
    void continueTurn(Continue command) {
        var turn = new Turn(command.turnId(), RawJson.NULL, command.options());
        lock.lock();
        try {
            if (!receivedTurns.add(command.turnId()) && !command.turnId().equals(deferredTurn)) {
                return;
            }
            deferredTurn = null;
            session.setId(command.sessionId());
            timing.received(turn);
            enqueue(new Work.Continue(turn));
        } finally {
            lock.unlock();
        }
    }

    void resume(String sessionId) {
        lock.lock();
        try {
            session.setId(sessionId);
            enqueue(new Work.Resume());
        } finally {
            lock.unlock();
        }
    }

    private void enqueue(Work work) {
        if (queue.size() < MAX_QUEUED) {
            queue.addLast(work);
            changed.signalAll();
        } else {
            // In a separate thread, because reporting may block and commands must not.
            var message =
                    "The queue is full (%d prompts); send this prompt again later"
                            .formatted(MAX_QUEUED);
            Thread.ofVirtual().start(() -> fail(work, message));
        }
    }

    /** Defers the open question if a turn is running, and closes the engine; may block. */
    void rest() {
        Turn turn;
        String question = null;
        try {
            turn = turnToDefer();
            if (turn != null) {
                question = engine().deferQuestion(turn);
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
                deferredTurn = turn.id();
                queue.addFirst(new Work.Rest(question)); // a prompt would discard the question
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the running turn, or null. */
    private @Nullable Turn turnToDefer() throws EngineException {
        lock.lock();
        try {
            if (firstQueued() != null) {
                throw new EngineException("A prompt is waiting");
            }
            if (events.engineTurn() != null) {
                throw new EngineException("The engine is running a turn that it started itself");
            }
            return running();
        } finally {
            lock.unlock();
        }
    }

    private EngineSession engine() throws EngineException {
        var engine = slot.current();
        if (engine == null) {
            throw new EngineException("The turn has not started yet");
        }
        return engine;
    }

    /** Returns the current state, for a server that attaches. */
    Attached state() {
        var turn = openTurn();
        return new Attached(turn == null ? null : turn.id(), turn != null);
    }

    /** Returns the running turn, else the next queued one, else one that the engine started. */
    private @Nullable Turn openTurn() {
        lock.lock();
        try {
            var running = running();
            var next = running != null ? running : firstQueued();
            return next != null ? next : events.engineTurn();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts a turn, or the open one if the id is null; ignores ended and unknown turns. */
    void interrupt(@Nullable String turnId) {
        if (turnId != null) {
            interrupt(find(turnId));
        } else {
            interrupt(events.engineTurn());
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

    /** Adds a message to a running turn; may block. */
    void steer(Steer command) {
        var turn = find(command.turnId());
        var engine = slot.current();
        try {
            if (turn == null || engine == null) {
                throw new EngineException("The turn is not running");
            }
            engine.steer(turn, command.prompt());
            events.steered(command.id(), null);
        } catch (EngineException e) {
            events.steered(command.id(), e.message());
        }
    }

    private @Nullable Turn find(String turnId) {
        lock.lock();
        try {
            var running = running();
            if (running != null && turnId.equals(running.id())) {
                return running;
            }
            for (var work : queue) {
                if (work.turn() != null && turnId.equals(work.turn().id())) {
                    return work.turn();
                }
            }
            var engineTurn = events.engineTurn();
            return engineTurn != null && turnId.equals(engineTurn.id()) ? engineTurn : null;
        } finally {
            lock.unlock();
        }
    }

    /** Excludes an ended turn: a client may see its {@code done} before this thread continues. */
    private @Nullable Turn running() {
        var turn = current == null ? null : current.turn();
        return turn == null || turn.isEnded() ? null : turn;
    }

    private @Nullable Turn firstQueued() {
        for (var work : queue) {
            if (work.turn() != null) {
                return work.turn();
            }
        }
        return null;
    }

    private void runQueue() {
        for (var work = next(); work != null; work = next()) {
            try {
                run(work);
            } catch (EngineException e) {
                fail(work, e.message());
            } catch (RuntimeException | Error e) {
                System.err.println("bridge: internal error in a turn: " + e);
                e.printStackTrace();
                fail(
                        work,
                        "Internal error of the bridge; see the stderr log of the sandbox for details");
            }
        }
    }

    private @Nullable Work next() {
        lock.lock();
        try {
            current = null;
            while (queue.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            current = closed ? null : queue.pollFirst();
            return current;
        } finally {
            lock.unlock();
        }
    }

    /** Not a switch over the types, as in {@code Bridge.execute}. */
    private void run(Work work) throws EngineException {
        if (work instanceof Work.Prompt(var turn)) {
            timing.prompted(turn);
            slot.engine().prompt(turn);
            events.turnEnded(turn, null);
        } else if (work instanceof Work.Start) {
            slot.engine().start();
        } else if (work instanceof Work.Continue(var turn)) {
            timing.prompted(turn);
            slot.engine().continueTurn(turn);
            events.turnEnded(turn, null);
        } else if (work instanceof Work.Resume) {
            slot.engine().start();
            events.done(null, null);
        } else if (work instanceof Work.Rest(var question)) {
            var engine = slot.current();
            if (engine != null) {
                engine.rest();
            }
            events.resting(null, question);
        } else {
            throw new IllegalStateException("work without an implementation: " + work);
        }
    }

    private void fail(Work work, String message) {
        var failure = new TurnFailure(message, false);
        switch (work) {
            case Work.Prompt(var turn) -> events.turnEnded(turn, failure);
            case Work.Continue(var turn) -> events.turnEnded(turn, failure);
            case Work.Resume() -> events.done(null, failure);
            case Work.Start() ->
                    System.err.println("bridge: the early start of the engine failed: " + message);
            case Work.Rest(var question) -> events.resting(message, question);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        slot.close();
    }
}
