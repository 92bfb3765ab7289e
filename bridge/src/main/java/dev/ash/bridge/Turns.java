package dev.ash.bridge;

import dev.ash.bridge.engine.Conversation;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Configure;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeCommand.Resume;
import dev.ash.protocol.bridge.EngineConfig;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The session's work, one piece after another on one thread, which alone opens, prompts and
 * replaces the engine. Commands only queue; the lock guards what they and the thread share.
 */
final class Turns implements AutoCloseable {
    private static final int MAX_WAITING = 100;

    private final BridgeSettings settings;
    private final TurnEvents events;
    private final Timing timing;
    private final Conversation conversation;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final ArrayDeque<Work> waiting = new ArrayDeque<>();
    private final RecentIds knownTurns = new RecentIds();
    private EngineConfig config = EngineConfig.NONE;
    private String sessionId;
    private @Nullable Work current;
    private @Nullable OpenEngine open;
    private boolean closed;

    /** A turn, or a {@code resume} where there is none. */
    private record Work(@Nullable Turn turn) {}

    private record OpenEngine(String name, EngineSetup setup, EngineSession session) {}

    Turns(BridgeSettings settings, Outbox outbox) {
        this.settings = settings;
        this.timing = new Timing(settings.timing());
        this.events = new TurnEvents(outbox, this::sessionId, timing);
        this.conversation = Conversation.load(settings.folders().state());
        this.sessionId = settings.sessionId();
        Thread.ofVirtual().name("turns").start(this::work);
    }

    void configure(Configure command) {
        lock.lock();
        try {
            sessionId = command.sessionId();
            config = command.config();
        } finally {
            lock.unlock();
        }
    }

    /** Ignored if its turn is known: the server sends again what it is not sure of. */
    void query(Query query) {
        var turn = new Turn(query.turnId(), query.prompt(), query.options());
        boolean full;
        lock.lock();
        try {
            if (query.turnId() != null && !knownTurns.add(query.turnId())) {
                return;
            }
            sessionId = query.sessionId();
            full = !enqueue(new Work(turn));
        } finally {
            lock.unlock();
        }
        timing.received(turn);
        if (full) {
            events.turnEnded(
                    turn, MAX_WAITING + " prompts are waiting already; send this one again later");
        }
    }

    void resume(Resume resume) {
        boolean full;
        lock.lock();
        try {
            sessionId = resume.sessionId();
            full = !enqueue(new Work(null));
        } finally {
            lock.unlock();
        }
        if (full) {
            events.done(null, MAX_WAITING + " prompts are waiting already");
        }
    }

    private boolean enqueue(Work work) {
        if (waiting.size() >= MAX_WAITING) {
            return false;
        }
        waiting.addLast(work);
        news.signalAll();
        return true;
    }

    /** The running turn, or the one that is about to run, or one that the engine began itself. */
    void interrupt() {
        Turn turn;
        EngineSession session;
        lock.lock();
        try {
            turn = running() != null ? running() : firstWaiting();
            session = open == null ? null : open.session();
        } finally {
            lock.unlock();
        }
        if (turn != null) {
            turn.interrupt();
        }
        if (session != null) {
            session.interrupt(turn);
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

    /** What engine and shell commands see. */
    Map<String, String> environment() {
        lock.lock();
        try {
            var environment = new HashMap<>(settings.environment());
            environment.putAll(config.env());
            if (!sessionId.isEmpty()) {
                environment.put("ASH_SESSION_ID", sessionId);
            }
            return environment;
        } finally {
            lock.unlock();
        }
    }

    String engineName() {
        var environment = environment();
        lock.lock();
        try {
            return EngineChoice.name(config.engine(), environment);
        } finally {
            lock.unlock();
        }
    }

    private String sessionId() {
        lock.lock();
        try {
            return sessionId;
        } finally {
            lock.unlock();
        }
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
            engine().prompt(turn);
            events.turnEnded(turn, null);
        } catch (EngineException e) {
            events.turnEnded(turn, e.sentence());
        }
    }

    private void resume() {
        try {
            engine().start();
            events.done(null, null);
        } catch (EngineException e) {
            events.done(null, e.sentence());
        }
    }

    private void fail(@Nullable Turn turn, String sentence) {
        if (turn == null) {
            events.done(null, sentence);
        } else {
            events.turnEnded(turn, sentence);
        }
    }

    /** The open engine if it was opened for what the session is now, else a new one. */
    private EngineSession engine() throws EngineException {
        var environment = environment();
        EngineSetup setup;
        String name;
        OpenEngine former;
        lock.lock();
        try {
            setup =
                    new EngineSetup(
                            sessionId, config, settings.folders(), environment, conversation);
            name = EngineChoice.name(config.engine(), environment);
            former = open;
        } finally {
            lock.unlock();
        }
        if (former != null && former.name().equals(name) && former.setup().equals(setup)) {
            return former.session();
        }
        if (former != null) {
            former.session().close();
        }
        return keep(new OpenEngine(name, setup, EngineChoice.engine(name).open(setup, events)));
    }

    private EngineSession keep(OpenEngine fresh) throws EngineException {
        lock.lock();
        try {
            open = fresh;
            if (closed) {
                throw new EngineException("The bridge is ending");
            }
            return fresh.session();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        OpenEngine last;
        lock.lock();
        try {
            closed = true;
            last = open;
            news.signalAll();
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.session().close();
        }
    }
}
