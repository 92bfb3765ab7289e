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
 * Closes the sandbox of one live session: when it is idle, on request, when the sandbox is lost, or
 * when its events cannot be logged. Logs the end.
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

    /** {@code reader} reads the events of the bridge until it exits. */
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
     * Closes the sandbox if no work is lost: no turn runs, or only one that waits for an answer and
     * can ask its question again. Returns the obstacle, or null.
     */
    public @Nullable String rest() {
        if (!turns.tryChange(LiveState::restRequested)) {
            return "a command is running, or the session is already closing";
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
            core.events().flush(); // the bridge cannot resend its events after it has exited
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
        // A new turn may not have reached the bridge yet, which then reports that none runs.
        return turns.isIdle() ? null : "a turn is starting";
    }

    /**
     * Closes the sandbox of a bridge that rests with a deferred question, because an earlier server
     * was killed before it could store that, or because the reply arrived after the timeout.
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
        closeSandbox();
        awaitReader(CLOSE_TIMEOUT); // log the end of turns after the events that were read
        finish(requested);
    }

    /** Closes the proxy while the kernel terminates the processes: each takes milliseconds. */
    private void closeSandbox() {
        var kill = Thread.ofVirtual().start(sandbox::close);
        core.egress().close(sandbox.id());
        join(kill, CLOSE_TIMEOUT);
        sandbox.close(); // does nothing, unless the join was interrupted
    }

    /** Ends the session after its bridge has exited, unless that was requested. For the reader. */
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
     * Ends the session because an event cannot be stored, and so must not be published. Called on
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

    /** Shuts the bridge down, so that the engine completes its transcript for a resume. */
    private void shutDownBridge() {
        try {
            core.events().flush();
        } catch (ApiException e) {
            // Its events cannot be stored.
        }
        try {
            sandbox.bridge().send(new BridgeCommand.Shutdown());
            awaitReader(SHUTDOWN_TIMEOUT);
        } catch (IOException e) {
            // It has already exited.
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

    /** Logs the end of the session if it is pending; throws if that fails. */
    public void logPendingEnd() {
        end.logPending();
    }

    /** Waits until a failure of the engine or of the sandbox, if any, is logged. */
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
                LOG.log(System.Logger.Level.WARNING, "session {0} was not closed in time", session);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitReader(Duration timeout) {
        if (reader.getState() != Thread.State.NEW) { // otherwise the attach failed
            join(reader, timeout);
        }
    }

    private static void join(Thread thread, Duration timeout) {
        try {
            thread.join(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
