package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One running engine and the turn it is in. The monitor guards the state; it is never held while
 * reporting to the sink, which may block.
 */
public abstract class EngineProcess<T extends RunningTurn> {
    /** How long an engine may take to be ready. */
    protected static final Duration START = Duration.ofSeconds(60);

    /** How long it may take for what should be done at once. */
    protected static final Duration STOP = Duration.ofSeconds(5);

    /** How long it may take to leave in order. */
    protected static final Duration REST = Duration.ofSeconds(10);

    private static final Duration FINISH = Duration.ofSeconds(2);

    protected final Monitor state = new Monitor();
    protected final LineProcess process;
    protected final EngineSink sink;
    private final String name;
    private @Nullable T running;
    private @Nullable String killedBecause;
    private volatile @Nullable String ended;
    private volatile boolean finishing;

    /** {@code name} is how people call the engine; {@code process} is not listened to yet. */
    protected EngineProcess(String name, LineProcess process, EngineSink sink) {
        this.name = name;
        this.process = process;
        this.sink = sink;
    }

    /**
     * Runs the turn to its end. False if the process had died before, so that the turn never began
     * and can go elsewhere.
     */
    public abstract boolean prompt(Turn turn) throws EngineException;

    /** Whether it was ever ready for a turn; the monitor is held. */
    protected abstract boolean opened();

    /** Has the engine end this turn, as soon as it can; the monitor is held. */
    protected abstract void tellToStop(T turn);

    /** Gives it a decision; may block. */
    protected abstract void tell(Approve decision);

    /** The exception says what it does besides its turns. */
    protected abstract void requireNothingInBackground() throws EngineException;

    /** What this end means to the one who waits for an answer; the monitor is held. */
    protected abstract String meaning(LineProcess.Exit exit);

    /** It has ended, and with it what it asked; {@code mayAskAgain} if it died of itself. */
    protected abstract void dropQuestions(boolean mayAskAgain);

    public final boolean alive() {
        return process.alive();
    }

    /** Why it ended, as a sentence; null while it has not. */
    protected final @Nullable String whyEnded() {
        return ended;
    }

    protected final void awaitEnded(Duration limit) {
        state.await(limit, () -> ended != null);
    }

    /** The turn it is in, if any. */
    protected final @Nullable T running() {
        state.enter();
        try {
            return running;
        } finally {
            state.leave();
        }
    }

    /** Its messages belong to this turn from now on; nothing else may be running. */
    protected final void run(T turn) {
        state.enter();
        try {
            running = turn;
        } finally {
            state.leave();
        }
    }

    /** Waits until no turn runs, and begins this one; false if the process has ended. */
    protected final boolean begin(T mine) {
        state.enter();
        try {
            awaitIdle();
            if (ended != null) {
                return false;
            }
            running = mine;
            return true;
        } finally {
            state.leave();
        }
    }

    /** Lets a turn that the engine began by itself come to its end. */
    public final void awaitIdle() {
        state.await(() -> running == null);
    }

    protected final void awaitOver(T turn) {
        state.await(turn::over);
    }

    public final void interrupt(Turn turn) {
        state.enter();
        try {
            var target = running;
            if (target != null && target.beginInterrupt(turn)) {
                stop(target);
            }
        } finally {
            state.leave();
        }
    }

    /** Ends this turn, if need be with the process; the monitor is held. */
    protected final void stop(T target) {
        // On a thread of its own, because an engine that hangs may not even read what it is told.
        Thread.ofVirtual().start(() -> killUnlessOver(target));
        tellToStop(target);
    }

    private void killUnlessOver(T target) {
        if (!state.await(STOP, target::over)) {
            kill(
                    name
                            + " did not stop within "
                            + STOP.toSeconds()
                            + " seconds of the interrupt and was killed."
                            + " The next message continues the conversation");
        }
    }

    protected final void kill(String because) {
        state.enter();
        try {
            killedBecause = because;
        } finally {
            state.leave();
        }
        process.kill();
    }

    /** On a thread of its own, because an engine that is stuck may not read what it is told. */
    public final void answer(Approve decision) {
        Thread.ofVirtual().start(() -> tell(decision));
    }

    /** Ends it in order, with all that it holds written; the exception says why not now. */
    public final void rest() throws EngineException {
        if (running() != null) {
            throw new EngineException("The engine is in a turn that it began by itself");
        }
        requireNothingInBackground();
        finishing = true;
        process.finish(REST);
    }

    /** Idle, it leaves by itself; in a turn it is killed. */
    public final void finish() {
        finishing = true;
        boolean idle = state.ask(() -> running == null || running.hasResult());
        process.finish(idle ? FINISH : Duration.ZERO);
    }

    protected final void end(T turn, @Nullable Failure failure) {
        sink.turnEnded(turn.turn(), failure);
        over(turn);
    }

    /** It is over here, whether anybody was told or not. */
    protected final void over(T turn) {
        state.enter();
        try {
            turn.end();
            running = running == null || running.over() ? null : running;
            state.changed();
        } finally {
            state.leave();
        }
    }

    /** For the one who listens to the process: it is gone. */
    public final void ended(LineProcess.Exit exit) {
        Failure failure;
        T last;
        state.enter();
        try {
            var meaning = meaning(exit);
            failure =
                    killedBecause == null
                            ? new Failure(meaning, opened() && !finishing)
                            : new Failure(killedBecause, false);
            ended = failure.message();
            last = running;
            state.changed();
        } finally {
            state.leave();
        }
        dropQuestions(failure.engineGone());
        if (last != null) {
            end(last, failure);
        }
    }
}
