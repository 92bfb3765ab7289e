package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.sandbox.Sandbox;
import dev.ash.server.session.live.SessionEnd.End;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Closes the sandbox of one live session: because it is idle, on request, because it is lost, or
 * because its events cannot be logged. Logs how the session ended.
 */
public final class SessionCloser {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(3);

    private final SessionId session;
    private final Sandbox sandbox;
    private final SessionCore core;
    private final LiveTurns turns;
    private final Thread reader;
    private final SessionEnd end;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** {@code reader} queues the events of the bridge for the log, and ends with the bridge. */
    SessionCloser(
            SessionId session, Sandbox sandbox, SessionCore core, LiveTurns turns, Thread reader) {
        this.session = session;
        this.sandbox = sandbox;
        this.core = core;
        this.turns = turns;
        this.reader = reader;
        this.end = new SessionEnd(core, session);
    }

    /**
     * Closes the sandbox if nothing is lost by that: no turn runs, or one that only waits for an
     * answer, whose question is asked again then. Returns the obstacle, or null.
     */
    public @Nullable String rest() {
        if (!turns.tryChange(LiveState::restRequested)) {
            return "a command runs in it, or it is ending already";
        }
        var resting = turns.replies().rest();
        var obstacle = obstacle(resting);
        if (obstacle != null) {
            var late = turns.rejectRest();
            if (late.isEmpty()) {
                return obstacle;
            }
            resting = late.get();
        }
        try {
            core.events().flush(); // a bridge that has exited cannot repeat its events
        } catch (ApiException e) {
            turns.change(LiveState::restRejected);
            return e.message();
        }
        KillPoint.RESTED.reached();
        sleep(resting);
        return null;
    }

    private @Nullable String obstacle(BridgeEvent.Resting resting) {
        if (resting.deferredQuestion() != null) {
            return null;
        }
        if (!resting.ready()) {
            return String.valueOf(resting.reason());
        }
        // A turn that was begun may not have reached the bridge yet, which then reports none.
        return turns.isIdle() ? null : "a turn is about to run";
    }

    /**
     * The bridge rests with a deferred question: an earlier server was killed before it could store
     * that, or the report came after the timeout.
     */
    void onUnrequestedRest(BridgeEvent.Resting resting, boolean isEarlier) {
        if (resting.deferredQuestion() != null && turns.tryRestUnrequested(resting, isEarlier)) {
            Thread.ofVirtual().start(() -> sleep(resting));
        }
    }

    private void sleep(BridgeEvent.Resting resting) {
        var question = resting.deferredQuestion();
        if (question != null) {
            turns.defer(question);
            KillPoint.LAID_ASIDE.reached();
        }
        turns.change(LiveState::closeRequested);
        shutDownBridge();
        sandbox.close();
        awaitReader(CLOSE_TIMEOUT);
        close("The session went to sleep");
        if (question != null) {
            core.approvals().onSleep(session);
        }
    }

    /** Closes the sandbox on request. */
    public void end(End requested) {
        turns.change(LiveState::closeRequested);
        if (!requested.isFinal()) {
            shutDownBridge();
        }
        sandbox.close();
        awaitReader(CLOSE_TIMEOUT); // the end of a turn follows the events that were read
        finish(requested);
    }

    /** The bridge has ended, unless it was requested to. For the reader. */
    void onSandboxLost(Supplier<String> reason) {
        if (turns.state().isClosing()) {
            return;
        }
        var why = reason.get();
        LOG.log(System.Logger.Level.WARNING, "session {0}: {1}", session, why);
        sandbox.close();
        finish(End.of(StatusChange.sandboxLost(why), why));
    }

    /**
     * An event that cannot be stored is not published; the session ends here, with the reason. For
     * the writer's thread.
     */
    void onLogFailure(ApiException why) {
        LOG.log(System.Logger.Level.ERROR, "cannot log events of session " + session, why);
        Thread.ofVirtual()
                .start(
                        () -> {
                            turns.change(LiveState::closeRequested);
                            sandbox.close();
                            finish(End.of(StatusChange.failed(why.message()), why.message()));
                        });
    }

    /** Lets the engine write its transcript, which a resume needs complete. */
    private void shutDownBridge() {
        try {
            core.events().flush();
        } catch (ApiException e) {
            // Its events cannot be stored later either.
        }
        try {
            sandbox.bridge().send(new BridgeCommand.Shutdown());
            awaitReader(SHUTDOWN_TIMEOUT);
        } catch (IOException e) {
            // It has exited already.
        }
    }

    private void finish(End how) {
        end.setPending(how);
        close(how.reason());
        end.logPendingOrRetry();
    }

    private void close(String why) {
        core.egress().close(sandbox.id());
        turns.close();
        turns.replies().failAll(why);
        closed.countDown();
    }

    /** Logs the end of the session if the log lacks it; throws if it cannot. */
    public void logPendingEnd() {
        end.logPending();
    }

    /** Returns once the log has the failure of the engine or of the sandbox, if there was one. */
    public void awaitFailure() {
        if (turns.state().isClosing() || !sandbox.isAlive() || !reader.isAlive()) {
            awaitClosed();
            logPendingEnd();
        } else if (turns.state().isEngineFailed()) {
            core.events().flush();
        }
    }

    public void awaitClosed() {
        awaitReader(CLOSE_TIMEOUT);
        try {
            if (!closed.await(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "session {0} does not close", session);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitReader(Duration timeout) {
        if (reader.getState() == Thread.State.NEW) {
            return; // the bridge could not be attached
        }
        try {
            reader.join(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
