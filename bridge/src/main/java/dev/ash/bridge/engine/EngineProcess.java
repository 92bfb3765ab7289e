package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A running engine process and its current turn. The monitor guards the state; it is never held
 * while reporting to the sink, which may block.
 */
public abstract class EngineProcess<T extends RunningTurn> {
    /** Maximum time until an engine is ready. */
    protected static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    /** Maximum time until an engine stops a turn. */
    protected static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    /** Maximum time for an orderly exit. */
    protected static final Duration REST_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration FINISH_TIMEOUT = Duration.ofSeconds(2);

    protected final Monitor state = new Monitor();
    protected final LineProcess process;
    protected final EngineSink sink;
    private final String name;
    private @Nullable T running;
    private @Nullable String killReason;
    private volatile @Nullable String exitReason;
    private volatile boolean finishing;

    /** {@code name} is the product name for messages; {@code process} has no listener yet. */
    protected EngineProcess(String name, LineProcess process, EngineSink sink) {
        this.name = name;
        this.process = process;
        this.sink = sink;
    }

    /**
     * Runs the turn to its end. Returns false if the process had already exited, so that the turn
     * did not start and can run in another process.
     */
    public abstract boolean prompt(Turn turn) throws EngineException;

    /** Returns whether the engine has become ready for turns; the monitor is held. */
    protected abstract boolean isReady();

    /** Requests the engine to stop this turn; the monitor is held. */
    protected abstract void requestStop(T turn);

    /** Sends a decision to the engine; may block. */
    protected abstract void sendDecision(Approve decision);

    /** Throws if the engine is doing work outside of a turn. */
    protected abstract void requireNoBackgroundWork() throws EngineException;

    /** Returns the message for the client about this exit; the monitor is held. */
    protected abstract String describeExit(LineProcess.Exit exit);

    /** Removes the open questions after the exit; {@code mayAskAgain} if it was unexpected. */
    protected abstract void dropQuestions(boolean mayAskAgain);

    /** Returns how long to wait for the exit after closing stdin; at most the limit. */
    protected Duration exitTimeout(Duration limit) {
        return limit;
    }

    public final boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the reason of the exit for users; null while the process is running. */
    protected final @Nullable String exitReason() {
        return exitReason;
    }

    protected final void awaitExit(Duration limit) {
        state.await(limit, () -> exitReason != null);
    }

    /** Returns the current turn, or null. */
    protected final @Nullable T running() {
        state.enter();
        try {
            return running;
        } finally {
            state.leave();
        }
    }

    /** Assigns all further messages to this turn; no other turn may be running. */
    protected final void setRunning(T turn) {
        state.enter();
        try {
            running = turn;
        } finally {
            state.leave();
        }
    }

    /** Waits until no turn is running, then begins this one; false if the process has exited. */
    protected final boolean begin(T turn) {
        state.enter();
        try {
            awaitIdle();
            if (exitReason != null) {
                return false;
            }
            running = turn;
            return true;
        } finally {
            state.leave();
        }
    }

    /** Waits for the end of a turn that the engine started without a prompt. */
    public final void awaitIdle() {
        state.await(() -> running == null);
    }

    protected final void awaitEnd(T turn) {
        state.await(turn::isEnded);
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

    /** Stops this turn; kills the process if it does not stop in time. The monitor is held. */
    protected final void stop(T target) {
        // In a separate thread, because writing blocks if the engine hangs and does not read.
        Thread.ofVirtual().start(() -> killUnlessEnded(target));
        requestStop(target);
    }

    private void killUnlessEnded(T target) {
        if (!state.await(STOP_TIMEOUT, target::isEnded)) {
            kill(
                    name
                            + " did not stop within "
                            + STOP_TIMEOUT.toSeconds()
                            + " seconds of the interrupt and was killed."
                            + " The next message continues the conversation");
        }
    }

    protected final void kill(String reason) {
        state.enter();
        try {
            killReason = reason;
        } finally {
            state.leave();
        }
        process.kill();
    }

    /** Sends the decision in a separate thread, because writing blocks if the engine hangs. */
    public final void answer(Approve decision) {
        Thread.ofVirtual().start(() -> sendDecision(decision));
    }

    /** Closes the engine in order, so that it writes its state; throws if it is not idle. */
    public final void rest() throws EngineException {
        if (running() != null) {
            throw new EngineException("The engine is running a turn that it started itself");
        }
        requireNoBackgroundWork();
        finishing = true;
        process.finish(exitTimeout(REST_TIMEOUT));
    }

    /** Terminates the engine: lets it exit in order if it is idle, and kills it during a turn. */
    public final void finish() {
        finishing = true;
        boolean idle = state.check(() -> running == null || running.hasResult());
        process.finish(idle ? exitTimeout(FINISH_TIMEOUT) : Duration.ZERO);
    }

    protected final void end(T turn, @Nullable TurnFailure failure) {
        sink.turnEnded(turn.turn(), failure);
        markEnded(turn);
    }

    /** Ends the turn in this process without a report. */
    protected final void markEnded(T turn) {
        state.enter();
        try {
            turn.markEnded();
            running = running == null || running.isEnded() ? null : running;
            state.signalAll();
        } finally {
            state.leave();
        }
    }

    /** Called by the listener of the process after its exit. */
    public final void onExit(LineProcess.Exit exit) {
        TurnFailure failure;
        T last;
        state.enter();
        try {
            var description = describeExit(exit);
            failure =
                    killReason == null
                            ? new TurnFailure(description, isReady() && !finishing)
                            : new TurnFailure(killReason, false);
            exitReason = failure.message();
            last = running;
            state.signalAll();
        } finally {
            state.leave();
        }
        dropQuestions(failure.engineGone());
        if (last != null) {
            end(last, failure);
        }
    }
}
