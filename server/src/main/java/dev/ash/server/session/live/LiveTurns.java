package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.sandbox.Sandbox;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.session.live.Intake.Decision;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the turns of one live session, and holds the state that admits them. Its lock guards both,
 * and the order of events in the log: a prompt is never logged after the end of its own turn, nor
 * before the end of the turn before it. The lock is held while a prompt is committed, so the
 * writer's thread must never take it.
 */
public final class LiveTurns {
    private final SessionId session;
    private final TenantId tenant;
    private final Sandbox sandbox;
    private final SessionCore core;
    private final OpenTurns open = new OpenTurns();
    private final PlainResume plainResume = new PlainResume(this::fail);
    private final PendingReplies replies;
    private final TurnLog log;
    private final Intake intake;
    private volatile LiveState state = new LiveState.Running(0); // written under the lock
    private boolean isContinued; // guarded by the lock
    private BridgeEvent.@Nullable Resting unrequestedRest; // guarded by the lock

    LiveTurns(SessionId session, TenantId tenant, Sandbox sandbox, SessionCore core, TurnLog log) {
        this.session = session;
        this.tenant = tenant;
        this.sandbox = sandbox;
        this.core = core;
        this.log = log;
        this.replies = new PendingReplies(sandbox.bridge(), plainResume);
        this.intake = new Intake(session, sandbox, open, replies, plainResume);
    }

    LiveState state() {
        return state;
    }

    public PendingReplies replies() {
        return replies;
    }

    public synchronized void change(UnaryOperator<LiveState> transition) {
        state = transition.apply(state);
    }

    /** Returns whether the state admits the transition. */
    synchronized boolean tryChange(Function<LiveState, Optional<LiveState>> transition) {
        var next = transition.apply(state);
        next.ifPresent(to -> state = to);
        return next.isPresent();
    }

    /** Whether no turn runs and no prompt is queued. */
    boolean isIdle() {
        return open.isEmpty();
    }

    /** Registers stored turns, before any event of them can arrive or a new turn can begin. */
    public void restore(List<TurnStore.OpenTurn> stored) {
        for (var turn : stored) {
            if (turn.status() != TurnStore.Status.QUEUED) {
                open.reopen(turn.id());
            } else if (turn.hasQuery()) {
                open.enqueue(turn.id());
            }
        }
    }

    /** Sends restored turns again, which the bridge may not have; it runs each of them once. */
    public void resend(List<TurnStore.OpenTurn> stored) throws IOException {
        for (var turn : stored) {
            if (turn.status() != TurnStore.Status.QUEUED) {
                var query = core.turns().query(turn.id());
                if (query.isPresent()) {
                    resend(turn, query.get());
                }
            }
        }
        if (!open.open().isEmpty()) {
            core.runners().markBusy(sandbox.id());
        }
        startNext();
    }

    private void resend(TurnStore.OpenTurn turn, BridgeCommand.Query query) throws IOException {
        if (turn.status().isDeferred()) {
            if (!tryContinue()) {
                return; // the bridge rests since an earlier server; the next wake continues it
            }
            core.turns().markContinued(turn.id());
            KillPoint.TURN_CONTINUED.reached();
            sandbox.bridge()
                    .send(
                            new BridgeCommand.Continue(
                                    session.value(), turn.id().value(), query.options()));
        } else {
            sandbox.bridge().send(query);
        }
    }

    private synchronized boolean tryContinue() {
        isContinued |= state.keepsSandbox();
        return state.keepsSandbox();
    }

    /** Events up to this number of the bridge are older than the connection to this server. */
    void attached(long last) {
        intake.attached(last);
    }

    /**
     * Returns whether the sandbox can be closed because its bridge rests, although nobody waits for
     * its report. After a deferred turn was continued, an earlier report no longer holds. While a
     * request of this server is pending, {@link #rejectRest} returns the report.
     */
    synchronized boolean tryRestUnrequested(BridgeEvent.Resting resting, boolean isEarlier) {
        if (isEarlier && isContinued) {
            return false;
        }
        if (state instanceof LiveState.Resting) {
            unrequestedRest = resting;
            return false;
        }
        return tryChange(LiveState::restRequested);
    }

    /** Ends a rejected request to rest, unless the bridge has reported meanwhile that it rests. */
    synchronized Optional<BridgeEvent.Resting> rejectRest() {
        var resting = Optional.ofNullable(unrequestedRest);
        unrequestedRest = null;
        if (resting.isEmpty()) {
            state = state.restRejected();
        }
        return resting;
    }

    /**
     * Commits the prompt and sends it to the engine, or queues it if it may wait. Returns the event
     * of a prompt that was sent.
     */
    public Optional<LoggedEvent> open(NewTurn turn) throws AsleepException {
        var prompt = commit(turn);
        if (prompt.isPresent()) {
            send(turn.query());
        }
        return prompt;
    }

    private synchronized Optional<LoggedEvent> commit(NewTurn turn) throws AsleepException {
        if (!state.acceptsTurns()) {
            throw new AsleepException();
        }
        if (open.openForClient(turn.id())) {
            try {
                var prompt = log.begin(turn);
                KillPoint.PROMPT_COMMITTED.reached();
                return Optional.of(prompt);
            } catch (RuntimeException e) {
                open.close(turn.id());
                throw e;
            }
        }
        if (turn.maxQueued() == 0) {
            throw OpenTurns.busy();
        }
        open.requireRoom(turn.maxQueued());
        log.enqueue(turn);
        KillPoint.PROMPT_QUEUED.reached();
        open.enqueue(turn.id());
        startNext();
        return Optional.empty();
    }

    private void send(BridgeCommand.Query query) {
        if (sandbox.bridge().isPlain()) {
            plainResume.awaitBeforeQuery();
        }
        try {
            sandbox.bridge().send(query);
            KillPoint.PROMPT_SENT.reached();
            core.runners().markBusy(sandbox.id());
        } catch (IOException e) {
            // The bridge has exited; the reader ends the turn with error and done.
        }
    }

    /** Starts the oldest queued prompt unless a turn is open. */
    synchronized void startNext() {
        if (!state.startsQueuedTurns()) {
            return;
        }
        try {
            StoredPrompt.next(open, core.turns(), tenant)
                    .ifPresent(
                            next ->
                                    log.beginQueued(
                                            next,
                                            () -> Thread.ofVirtual().start(() -> send(next))));
        } catch (ApiException e) {
            log.fail(e);
        }
    }

    private void send(StoredPrompt prompt) {
        try (prompt) {
            KillPoint.QUEUED_PROMPT_BEGUN.reached();
            send(prompt.query());
        }
    }

    /**
     * Decides what to do with an event of the bridge, and stores what it says about turns. The
     * caller applies the other decisions.
     */
    Decision accept(EventFrame frame, BridgePosition place) {
        var decision = decide(frame, place);
        if (decision instanceof Decision.EndTurn) {
            ended();
        }
        return decision;
    }

    private synchronized Decision decide(EventFrame frame, BridgePosition place) {
        var decision = intake.decide(frame, place);
        switch (decision) {
            case Decision.Acknowledge(var bytes) -> log.acknowledge(place, bytes);
            case Decision.Publish(var hint) -> log.publish(hint, place);
            case Decision.Append(var event) -> log.append(event, place);
            case Decision.FailEngine(var event, var error) -> {
                state = state.engineFailed();
                log.failEngine(event, StatusChange.failed(error), place);
            }
            case Decision.EndTurn(var turn, var status, var events) ->
                    log.endTurn(turn, status, events, place);
            case Decision.BeginTurn(var turn) -> log.beginEngineTurn(turn, place);
            case Decision.Ask _, Decision.Withdraw _, Decision.Rest _ -> {}
        }
        return decision;
    }

    /** Ends the open turn with an error that its bridge reported earlier. */
    private void fail(String error) {
        synchronized (this) {
            var turn = open.closeByError();
            if (turn.isEmpty()) {
                return;
            }
            log.endTurn(turn.get(), error);
        }
        ended();
    }

    private void ended() {
        startNext();
        if (open.open().isEmpty()) {
            core.runners().markIdle(sandbox.id());
        }
    }

    /** Returns whether there was a turn to interrupt. */
    public boolean interrupt() {
        boolean isPlain = sandbox.bridge().isPlain();
        var running = open.open();
        try {
            for (var turn : running) {
                sandbox.bridge().send(new BridgeCommand.Interrupt(isPlain ? null : turn.value()));
            }
        } catch (IOException e) {
            return false; // the turn is ending
        }
        return !running.isEmpty();
    }

    /** Marks the open turns as waiting, without an engine, for the answer to this question. */
    void defer(String question) {
        log.defer(open.open(), sandbox.launchId(), question);
    }

    /** Admits no turn any more. */
    synchronized void close() {
        state = state.closed();
        open.clear();
    }
}
