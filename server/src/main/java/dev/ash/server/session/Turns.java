package dev.ash.server.session;

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
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.approval.DecisionNotice;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.Watcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Prompts, interrupts and commands for sessions that are active. */
public final class Turns {
    private static final int ATTEMPTS = 5;

    private final Sessions sessions;
    private final SessionCore core;
    private final IdempotencyKeyStore keys;

    public Turns(Sessions sessions, SessionCore core, IdempotencyKeyStore keys) {
        this.sessions = sessions;
        this.core = core;
        this.keys = keys;
    }

    boolean isIdle(SessionId session) {
        return core.turns().open(session).isEmpty();
    }

    /** A turn whose prompt is committed; {@link #run} hands it to the engine and forgets it. */
    static final class Accepted {
        private final TurnId id;
        private final Watcher watcher;
        private Runnable handOver;

        private Accepted(TurnId id, Watcher watcher, Runnable handOver) {
            this.id = id;
            this.watcher = watcher;
            this.handOver = handOver;
        }

        TurnId id() {
            return id;
        }

        Watcher watcher() {
            return watcher;
        }

        void run() {
            handOver.run();
            handOver = () -> {}; // a prompt may be large, and its turn long
        }
    }

    /**
     * Takes the session's turn, or a place in its queue, and commits the prompt. The watcher stands
     * where its owner misses nothing of the turn; the turn itself goes on whether anyone watches or
     * not. A retry with the same key gets the same turn, from its beginning.
     */
    Accepted accept(
            TenantId tenant,
            SessionId session,
            SessionApi.SendMessage message,
            Optional<IdempotencyKey> key) {
        int maxQueued = mayWait(message.whenBusy()) ? OpenTurns.MAX_QUEUED : 0;
        return accept(tenant, session, message, key, maxQueued, TurnNote.NONE);
    }

    /** The same with a limit for the queue, and a note that is committed with the prompt. */
    Accepted accept(
            TenantId tenant,
            SessionId session,
            SessionApi.SendMessage message,
            Optional<IdempotencyKey> key,
            int maxQueued,
            TurnNote note) {
        Prompt.check(message.content());
        var options = options(message);
        var joined = join(tenant, key);
        if (joined.isPresent()) {
            return joined.get();
        }
        try {
            return attempt(
                    permit ->
                            open(tenant, session, message, options, maxQueued, key, note, permit));
        } catch (ApiException e) {
            if (e.code() != ErrorCode.SESSION_BUSY) {
                throw e;
            }
            return join(tenant, key).orElseThrow(() -> e); // it may be busy with this very turn
        }
    }

    private Optional<Accepted> join(TenantId tenant, Optional<IdempotencyKey> key) {
        var made = key.flatMap(present -> keys.find(tenant, present));
        if (made.isEmpty() || made.get().turn() == null) {
            return Optional.empty();
        }
        var session = made.get().session();
        var turn = made.get().turn();
        requireThere(tenant, session);
        long before = core.events().firstOf(session, turn) - 1;
        return Optional.of(
                new Accepted(turn, core.events().watch(session, Math.max(before, 0)), () -> {}));
    }

    private Accepted open(
            TenantId tenant,
            SessionId session,
            SessionApi.SendMessage message,
            TurnOptions options,
            int maxQueued,
            Optional<IdempotencyKey> key,
            TurnNote note,
            ResumePermit permit)
            throws AsleepException {
        long bytes = message.content().length();
        checkQuota(tenant, session, bytes);
        var live = sessions.awake(tenant, session, permit);
        var turn = TurnId.random();
        // A prompt that waits is logged as it was given to the bridge, so it brings no news.
        var told =
                live.asks() && !live.isBusy()
                        ? core.approvals().toTell(session)
                        : List.<DecisionNotice>of();
        var query =
                new BridgeCommand.Query(
                        Prompt.with(DecisionNotice.text(told), message.content()),
                        session.value(),
                        turn.value(),
                        options);
        var opening =
                new NewTurn(
                        turn,
                        query,
                        NewEvent.prompt(session, turn, message.content()),
                        told.isEmpty(),
                        maxQueued,
                        (transaction, now) -> {
                            note.store(transaction, turn, now);
                            core.quotas().requirePrompt(transaction, tenant, session, bytes);
                            key.ifPresent(
                                    k -> keys.insert(transaction, tenant, k, session, turn, now));
                            core.approvals().told(transaction, told, now);
                        });
        var watcher = core.events().watchLive(session); // before there is anything to miss
        try {
            var prompt = live.openTurn(opening);
            prompt.ifPresent(event -> watcher.skipTo(event.seq()));
            return new Accepted(
                    turn, watcher, prompt.isPresent() ? () -> live.run(query) : () -> {});
        } catch (RuntimeException | AsleepException e) {
            watcher.close();
            throw e;
        }
    }

    private void requireThere(TenantId tenant, SessionId session) {
        if (core.sessions().standing(tenant, session).isEmpty()) {
            throw Sessions.notFound(session);
        }
    }

    /** Before it costs anything, such as the start of a sandbox. */
    private void checkQuota(TenantId tenant, SessionId session, long bytes) {
        if (core.quotas().limitsPrompts(tenant)) {
            requireThere(tenant, session);
            core.quotas().checkPrompt(tenant, session, bytes);
        }
    }

    private static boolean mayWait(@org.jspecify.annotations.Nullable String whenBusy) {
        return whenBusy != null && WhenBusy.ofWire(whenBusy) == WhenBusy.QUEUE;
    }

    /** Returns whether there was a turn to interrupt. */
    boolean interrupt(TenantId tenant, SessionId id) {
        if (sessions.find(tenant, id).status() == SessionStatus.ENDED) {
            throw Sessions.ended();
        }
        if (sessions.live(id).isEmpty()) {
            callOff(id);
        }
        return sessions.live(id).map(LiveSession::interrupt).orElse(false);
    }

    /** A turn that waits without an engine gets one, so that this hears that it is called off. */
    private void callOff(SessionId id) {
        var waiting =
                core.turns().open(id).stream()
                        .filter(turn -> turn.status() == TurnStore.Status.DEFERRED)
                        .map(TurnStore.Open::id)
                        .toList();
        if (waiting.isEmpty()) {
            return;
        }
        var logged = new ArrayList<NewEvent>();
        core.events()
                .appendNow(
                        id,
                        logged,
                        (transaction, now) -> {
                            logged.clear(); // a unit of work may run twice
                            for (var turn : waiting) {
                                logged.addAll(
                                        core.approvals().cancelOpen(transaction, id, turn, now));
                            }
                        });
        sessions.wake(id);
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

    /** For whoever decides itself how long it may take. */
    BridgeEvent.ExecResult exec(TenantId tenant, SessionId id, String command, Duration limit) {
        return attempt(
                permit -> sessions.awake(tenant, id, permit).exec(command, limit.toMillis()));
    }

    private interface Attempt<T> {
        T make(ResumePermit permit) throws AsleepException;
    }

    /** Wakes a session that falls asleep, or resumes one that fails, at this very moment. */
    private static <T> T attempt(Attempt<T> attempt) {
        var permit = new ResumePermit();
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return attempt.make(permit);
            } catch (AsleepException e) {
                // The next look wakes it.
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
                SessionSetup.model(message.model()),
                message.maxTurns(),
                message.maxBudgetUsd(),
                message.effort(),
                message.thinking(),
                message.outputFormat());
    }
}
