package dev.ash.server.session.turn;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.WhenBusy;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.approval.DecisionNotice;
import dev.ash.server.event.Commit;
import dev.ash.server.event.EventSubscription;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.lifecycle.LiveSessions;
import dev.ash.server.session.lifecycle.ResumePermit;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.AsleepException;
import dev.ash.server.session.live.NewTurn;
import dev.ash.server.session.live.OpenTurns;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.IdempotencyKeyStore;
import dev.ash.server.session.store.SessionSetup;
import dev.ash.server.session.store.TurnStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Opens and interrupts turns and runs commands; wakes or resumes the session for it. */
public final class Turns {
    private static final int ATTEMPTS = 5;

    private final SessionCore core;
    private final LiveSessions live;
    private final IdempotencyKeyStore keys;

    public Turns(SessionCore core, LiveSessions live, IdempotencyKeyStore keys) {
        this.core = core;
        this.live = live;
        this.keys = keys;
    }

    public boolean isIdle(SessionId session) {
        return core.turns().open(session).isEmpty();
    }

    /** A turn whose prompt is committed, with a subscription that receives all of its events. */
    public record OpenedTurn(TurnId id, EventSubscription events) implements AutoCloseable {
        @Override
        public void close() {
            events.close();
        }
    }

    /**
     * Commits the prompt and sends it to the engine, or queues it. The turn does not depend on its
     * subscribers. A retry with the same key returns the same turn, from its beginning.
     */
    public OpenedTurn open(
            TenantId tenant,
            SessionId session,
            SessionApi.SendMessage message,
            Optional<IdempotencyKey> key) {
        int maxQueued = mayQueue(message.whenBusy()) ? OpenTurns.MAX_QUEUED : 0;
        return open(tenant, session, message, key, maxQueued, TurnStatements.NONE);
    }

    /** The same with a limit of the queue, and statements that commit with the prompt. */
    public OpenedTurn open(
            TenantId tenant,
            SessionId session,
            SessionApi.SendMessage message,
            Optional<IdempotencyKey> key,
            int maxQueued,
            TurnStatements statements) {
        Prompt.check(message.content());
        var options = options(message);
        var earlier = findEarlier(tenant, key);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        try {
            return attempt(
                    permit ->
                            open(
                                    tenant,
                                    session,
                                    message,
                                    options,
                                    maxQueued,
                                    key,
                                    statements,
                                    permit));
        } catch (ApiException e) {
            if (e.code() != ErrorCode.SESSION_BUSY) {
                throw e;
            }
            return findEarlier(tenant, key)
                    .orElseThrow(() -> e); // it may be busy with the turn of this key
        }
    }

    private Optional<OpenedTurn> findEarlier(TenantId tenant, Optional<IdempotencyKey> key) {
        var result = key.flatMap(present -> keys.find(tenant, present));
        if (result.isEmpty() || result.get().turn() == null) {
            return Optional.empty();
        }
        var session = result.get().session();
        var turn = result.get().turn();
        requireExists(tenant, session);
        long before = core.events().firstOfTurn(session, turn) - 1;
        return Optional.of(
                new OpenedTurn(turn, core.events().subscribe(session, Math.max(before, 0))));
    }

    private OpenedTurn open(
            TenantId tenant,
            SessionId session,
            SessionApi.SendMessage message,
            TurnOptions options,
            int maxQueued,
            Optional<IdempotencyKey> key,
            TurnStatements statements,
            ResumePermit permit)
            throws AsleepException {
        long bytes = message.content().length();
        checkQuota(tenant, session, bytes);
        var liveSession = live.wake(tenant, session, permit);
        var turn = TurnId.random();
        // A queued prompt is logged as it is sent to the bridge, so nothing may be prepended to it.
        var decisions =
                liveSession.asksForApproval() && !liveSession.isBusy()
                        ? core.approvals().pendingNotices(session, liveSession.bridgeId())
                        : List.<DecisionNotice>of();
        var query =
                new BridgeCommand.Query(
                        Prompt.prepend(DecisionNotice.text(decisions), message.content()),
                        session.value(),
                        turn.value(),
                        options);
        var newTurn =
                new NewTurn(
                        turn,
                        query,
                        NewEvent.prompt(session, turn, message.content()),
                        decisions.isEmpty(),
                        maxQueued,
                        (transaction, now) -> {
                            statements.run(transaction, turn, now);
                            core.quotas().requirePrompt(transaction, tenant, session, bytes);
                            key.ifPresent(
                                    k -> keys.insert(transaction, tenant, k, session, turn, now));
                            if (!decisions.isEmpty()) {
                                core.approvals().markReported(transaction, decisions, now);
                            }
                        });
        var subscription = core.events().subscribeLive(session); // before the turn has events
        try {
            liveSession.openTurn(newTurn).ifPresent(prompt -> subscription.skipTo(prompt.seq()));
            return new OpenedTurn(turn, subscription);
        } catch (RuntimeException | AsleepException e) {
            subscription.close();
            throw e;
        }
    }

    private void requireExists(TenantId tenant, SessionId session) {
        if (core.sessions().statusDetails(tenant, session).isEmpty()) {
            throw Sessions.notFound(session);
        }
    }

    /** Checks the quota before an expensive step, such as the start of a sandbox. */
    private void checkQuota(TenantId tenant, SessionId session, long bytes) {
        if (core.quotas().limitsPrompts(tenant)) {
            requireExists(tenant, session);
            core.quotas().checkPrompt(tenant, session, bytes);
        }
    }

    private static boolean mayQueue(@org.jspecify.annotations.Nullable String whenBusy) {
        return whenBusy != null && WhenBusy.ofWire(whenBusy) == WhenBusy.QUEUE;
    }

    /** Returns whether there was a turn to interrupt. */
    public boolean interrupt(TenantId tenant, SessionId id) {
        var standing = core.sessions().statusDetails(tenant, id);
        if (standing.orElseThrow(() -> Sessions.notFound(id)).status() == SessionStatus.ENDED) {
            throw Sessions.ended();
        }
        if (live.find(id).isEmpty()) {
            cancelDeferred(id);
        }
        return live.find(id).map(session -> session.turns().interrupt()).orElse(false);
    }

    /** Adds a message to the running turn; the reply states whether the turn has it. */
    public BridgeEvent.Steered steer(TenantId tenant, SessionId id, RawJson content) {
        Prompt.check(content);
        var standing = core.sessions().statusDetails(tenant, id);
        if (standing.orElseThrow(() -> Sessions.notFound(id)).status() == SessionStatus.ENDED) {
            throw Sessions.ended();
        }
        checkQuota(tenant, id, content.length());
        return live.find(id)
                .map(session -> session.turns().steer(content))
                .orElseGet(
                        () ->
                                new BridgeEvent.Steered(
                                        "", "No turn is running; send it as a message"));
    }

    /** Cancels the questions of deferred turns and starts an engine, which gets the interrupt. */
    private void cancelDeferred(SessionId id) {
        var waiting =
                core.turns().open(id).stream()
                        .filter(turn -> turn.status() == TurnStore.Status.DEFERRED)
                        .map(TurnStore.OpenTurn::id)
                        .toList();
        if (waiting.isEmpty()) {
            return;
        }
        core.events()
                .commit(
                        id,
                        (transaction, now) ->
                                Commit.of(
                                        waiting.stream()
                                                .flatMap(
                                                        turn ->
                                                                core
                                                                        .approvals()
                                                                        .cancelOpen(
                                                                                transaction, id,
                                                                                turn, now)
                                                                        .stream())
                                                .toList()));
        live.wake(id);
    }

    public BridgeEvent.ExecResult exec(TenantId tenant, SessionId id, SessionApi.Exec request) {
        if (request.command().isEmpty()) {
            throw ApiException.invalid("command", "must not be empty");
        }
        long timeout =
                request.timeout() == null
                        ? Limits.EXEC_TIMEOUT.toMillis()
                        : (long) request.timeout();
        if (timeout < 1 || Duration.ofMillis(timeout).compareTo(Limits.MAX_EXEC_TIMEOUT) > 0) {
            throw ApiException.invalid("timeout", "must be 1 to 300000 milliseconds");
        }
        return exec(tenant, id, request.command(), Duration.ofMillis(timeout));
    }

    /** Runs a command with a time limit of the caller. */
    public BridgeEvent.ExecResult exec(
            TenantId tenant, SessionId id, String command, Duration limit) {
        return attempt(permit -> live.wake(tenant, id, permit).exec(command, limit.toMillis()));
    }

    private interface Attempt<T> {
        T make(ResumePermit permit) throws AsleepException;
    }

    /** Retries if the session falls asleep concurrently: the next attempt wakes it. */
    private static <T> T attempt(Attempt<T> attempt) {
        var permit = new ResumePermit();
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return attempt.make(permit);
            } catch (AsleepException e) {
                // Try again.
            }
        }
        throw OpenTurns.busy();
    }

    private static TurnOptions options(SessionApi.SendMessage message) {
        if (message.maxTurns() != null && message.maxTurns() < 1) {
            throw ApiException.invalid("maxTurns", "must be at least 1");
        }
        if (message.maxBudgetUsd() != null
                && !(message.maxBudgetUsd() >= 0 && message.maxBudgetUsd() < 1e9)) {
            throw ApiException.invalid("maxBudgetUsd", "must be a positive amount");
        }
        if (message.effort() != null
                && !Set.of("low", "medium", "high", "max").contains(message.effort())) {
            throw ApiException.invalid("effort", "must be low, medium, high or max");
        }
        return new TurnOptions(
                Boolean.TRUE.equals(message.includePartialMessages()),
                SessionSetup.checkModel(message.model()),
                message.maxTurns(),
                message.maxBudgetUsd(),
                message.effort(),
                message.thinking(),
                message.outputFormat());
    }
}
