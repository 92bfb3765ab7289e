package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.event.Watcher;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Prompts, interrupts and commands for sessions that are active. */
public final class Turns {
    private final Sessions sessions;
    private final TurnStore store;
    private final SessionEvents events;

    public Turns(Sessions sessions, TurnStore store, SessionEvents events) {
        this.sessions = sessions;
        this.store = store;
        this.events = events;
    }

    boolean isIdle(SessionId session) {
        return store.running(session).isEmpty();
    }

    /** A turn whose prompt is committed; {@link #run} hands it to the engine. */
    record Accepted(TurnId id, Watcher watcher, Runnable handOver) {
        void run() {
            handOver.run();
        }
    }

    /**
     * Takes the session's turn and commits the prompt. The watcher stands just after it, so that
     * its owner misses nothing of the turn; the turn itself goes on whether anyone watches or not.
     */
    Accepted accept(TenantId tenant, SessionId session, SessionApi.SendMessage message) {
        Prompt.check(message.content());
        var options = options(message);
        var live = sessions.awake(tenant, session);
        var turn = TurnId.random();
        var query =
                new BridgeCommand.Query(message.content(), session.value(), turn.value(), options);
        var watcher = events.watchLive(session); // before there is anything of the turn to miss
        try {
            watcher.skipTo(live.openTurn(turn, message.content()).seq());
            return new Accepted(turn, watcher, () -> live.run(query));
        } catch (RuntimeException e) {
            watcher.close();
            throw e;
        }
    }

    /** Returns whether there was a turn to interrupt. */
    boolean interrupt(TenantId tenant, SessionId id) {
        if (sessions.find(tenant, id).status() == SessionStatus.ENDED) {
            throw Sessions.ended();
        }
        var live = sessions.live(id);
        if (live.isEmpty() || !live.get().isBusy()) {
            return false;
        }
        try {
            live.get().send(new BridgeCommand.Interrupt(null));
        } catch (IOException e) {
            return false; // the turn is ending by itself
        }
        return true;
    }

    BridgeEvent.ExecResult exec(TenantId tenant, SessionId id, SessionApi.Exec request) {
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
        return sessions.awake(tenant, id).exec(request.command(), timeout);
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
