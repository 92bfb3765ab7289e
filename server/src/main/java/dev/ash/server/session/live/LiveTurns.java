package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
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
 * Runs the turns of one live session and manages its state. The lock guards both, and the order of
 * events in the log: a prompt is never logged after the end of its turn, nor before the end of the
 * previous turn. The lock is held while a prompt is committed, so the writer's thread must never
 * acquire it.
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

    /** Registers stored turns, before their events can arrive and before a new turn can start. */
    public void restore(List<TurnStore.OpenTurn> stored) {
        for (var turn : stored) {
            if (turn.status() != TurnStore.Status.QUEUED) {
                open.reopen(turn.id());
            } else if (turn.hasQuery()) {
                open.enqueue(turn.id());
            }
        }
    }

    /**
     * Resends restored turns, which the bridge may not have received; it runs each of them once.
     */
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
                return; // the bridge rests for an earlier server; the next wake continues the turn
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

    /** Records that the bridge sent the events up to this number to earlier servers. */
    void onAttached(long last) {
        intake.onAttached(last);
    }

    /**
     * Returns whether the sandbox can be closed because its bridge rests, although no caller waits
     * for the reply. A reply to an earlier server is obsolete after a deferred turn was continued.
     * While a request of this server is pending, {@link #rejectRest} returns the reply.
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

    /** Cancels a rejected rest request, unless the bridge has replied meanwhile that it rests. */
    synchronized Optional<BridgeEvent.Resting> rejectRest() {
        var resting = Optional.ofNullable(unrequestedRest);
        unrequestedRest = null;
        if (resting.isEmpty()) {
            state = state.restRejected();
        }
        return resting;
    }

    /**
     * Commits the prompt and sends it to the engine, or queues it if permitted. Returns the event
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
     * Decides how to handle an event of the bridge, and applies the decision if it concerns turns.
     * The caller applies the others.
     */
    Decision accept(EventFrame frame, BridgePosition position) {
        var decision = decide(frame, position);
        if (decision instanceof Decision.EndTurn) {
            onTurnEnded();
        }
        return decision;
    }

    private synchronized Decision decide(EventFrame frame, BridgePosition position) {
        var decision = intake.decide(frame, position);
        switch (decision) {
            case Decision.Acknowledge(var bytes) -> log.acknowledge(position, bytes);
            case Decision.Publish(var event) -> log.publish(event, position);
            case Decision.Append(var event) -> log.append(event, position);
            case Decision.FailEngine(var event, var error) -> {
                state = state.engineFailed();
                log.failEngine(event, StatusChange.failed(error), position);
            }
            case Decision.EndTurn(var turn, var status, var events) ->
                    log.endTurn(turn, status, events, position);
            case Decision.BeginTurn(var turn) -> log.beginEngineTurn(turn, position);
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
        onTurnEnded();
    }

    private void onTurnEnded() {
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

    /** Adds a message to the running turn; the reply has a reason if the turn does not have it. */
    public BridgeEvent.Steered steer(RawJson prompt) {
        var running = open.open();
        return running.isEmpty()
                ? new BridgeEvent.Steered("", "No turn is running; send it as a message")
                : replies.steer(running.getFirst(), prompt);
    }

    /** Marks the open turns as deferred until this question is answered. */
    void defer(String question) {
        log.defer(open.open(), sandbox.launchId(), question);
    }

    /** Rejects further turns. */
    synchronized void close() {
        state = state.closed();
        open.clear();
    }
}
