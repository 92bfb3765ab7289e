package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.event.LogCopyStore;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.store.KillPoint;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Forks sessions: copies the current workspace and home, and the log and conversation up to a turn.
 * The original sleeps meanwhile, so that its engine has written all files and nothing changes them.
 */
public final class SessionForks {
    private final Sessions sessions;
    private final LiveSessions live;
    private final SessionCore core;
    private final LogCopyStore log;
    private final Clock clock;

    public SessionForks(
            Sessions sessions, LiveSessions live, SessionCore core, LogCopyStore log, Clock clock) {
        this.sessions = sessions;
        this.live = live;
        this.core = core;
        this.log = log;
        this.clock = clock;
    }

    /** Returns the copy, which sleeps until its first message. */
    public SessionRow fork(TenantId tenant, SessionId id, Optional<TurnId> turn) {
        live.requireOpen();
        sessions.find(tenant, id); // do not wait for the lock of another tenant's session
        return live.locked(id, () -> forkLocked(sessions.find(tenant, id), turn.orElse(null)));
    }

    private SessionRow forkLocked(SessionRow original, @Nullable TurnId turn) {
        core.quotas().checkSession(original.tenant());
        putToSleep(original);
        core.runners().requireDiskSpace();
        var cut = log.cutAfter(original.id(), turn).orElseThrow(SessionForks::noSuchTurn);
        var copy =
                original.fork(
                        SessionId.random(), SandboxId.random(), cut.message(), clock.millis());
        core.events()
                .append(
                        copy.id(),
                        List.of(forkedEvent(copy.id(), original.id())),
                        (transaction, _) -> {
                            core.quotas().requireFork(transaction, copy.tenant(), original.id());
                            core.sessions().insert(transaction, copy);
                            log.copy(transaction, original.id(), copy.id(), cut.seq());
                        });
        KillPoint.FORK_LOGGED.reached();
        copyFiles(original, copy);
        return sessions.find(copy.tenant(), copy.id());
    }

    private void putToSleep(SessionRow row) {
        if (row.status() == SessionStatus.ENDED) {
            throw Sessions.ended();
        }
        if (row.status() == SessionStatus.STARTING) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "The session is starting; fork it when it is active");
        }
        var obstacle =
                core.turns().open(row.id()).isEmpty()
                        ? live.find(row.id()).map(live::sleepLocked).orElse(null)
                        : "a turn is open";
        if (obstacle != null) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    "The session cannot be forked now: %s; retry when it is idle"
                            .formatted(obstacle));
        }
    }

    private static ApiException noSuchTurn() {
        return ApiException.invalid("turnId", "must be a finished turn of this session");
    }

    private static NewEvent forkedEvent(SessionId copy, SessionId original) {
        return NewEvent.lifecycle(
                copy, "forked", JsonWriter.object().put("parentSessionId", original.value()));
    }

    private void copyFiles(SessionRow original, SessionRow copy) {
        try {
            core.runners().copy(original.sandbox(), copy.sandbox());
            KillPoint.FORK_COPIED.reached();
        } catch (RuntimeException e) {
            var failure = ApiException.from(e);
            core.statuses().change(copy.id(), StatusChange.failed(failure.message()));
            throw failure;
        }
        core.statuses().change(copy.id(), StatusChange.copied());
    }
}
