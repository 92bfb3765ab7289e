package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.event.Commit;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.live.LiveSession;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.live.SessionEnd;
import dev.ash.server.session.live.SessionEnd.End;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionSetup;
import dev.ash.server.session.store.StatusChange;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The operations of clients on sessions: create, configure, pause, stop, resume, end. Each
 * operation holds the lock of its session.
 */
public final class Sessions {
    private final SessionCore core;
    private final LiveSessions live;
    private final SessionRegistrar registrar;

    public Sessions(SessionCore core, LiveSessions live, SessionRegistrar registrar) {
        this.core = core;
        this.live = live;
        this.registrar = registrar;
    }

    public SessionRow find(TenantId tenant, SessionId id) {
        return core.sessions().find(tenant, id).orElseThrow(() -> notFound(id));
    }

    private void requireExists(TenantId tenant, SessionId id) {
        if (core.sessions().statusDetails(tenant, id).isEmpty()) {
            throw notFound(id);
        }
    }

    public boolean exists(SessionRow row) {
        return core.sessions().statusDetails(row.tenant(), row.id()).isPresent();
    }

    public static ApiException notFound(SessionId id) {
        return new ApiException(ErrorCode.SESSION_NOT_FOUND, "Session not found: " + id.value());
    }

    /** Stores a new session; a retry with the same key returns the same session. */
    public SessionRow register(
            TenantId tenant, SessionApi.CreateSession request, Optional<IdempotencyKey> key) {
        return register(tenant, request, key, false);
    }

    /** {@code readOnly}: whether the working directory is read-only. */
    public SessionRow register(
            TenantId tenant,
            SessionApi.CreateSession request,
            Optional<IdempotencyKey> key,
            boolean readOnly) {
        live.requireOpen();
        return registrar.register(tenant, request, key, readOnly);
    }

    /** Returns the engine of such a session; throws if it cannot be registered. */
    public String check(TenantId tenant, SessionApi.CreateSession request) {
        return registrar.check(tenant, request);
    }

    /**
     * Starts the sandbox of a registered session, which is {@code active} or {@code error}
     * afterwards. Retries a failed start.
     */
    public SessionRow start(SessionRow row) {
        return live.locked(
                row.id(),
                () -> {
                    var present = find(row.tenant(), row.id());
                    switch (present.status()) {
                        case STARTING -> live.startLocked(present);
                        case ERROR -> live.resumeLocked(present);
                        default -> {} // started or ended concurrently
                    }
                    return find(row.tenant(), row.id());
                });
    }

    public SessionRow pause(TenantId tenant, SessionId id) {
        return change(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ACTIVE) {
                        throw cannot("pause", row.status());
                    }
                    if (!core.turns().open(id).isEmpty()) {
                        throw new ApiException(
                                ErrorCode.SESSION_BUSY,
                                "The session is busy with a turn; wait for its done, or interrupt it,"
                                        + " then pause");
                    }
                    if (!logPause(id)) {
                        throw cannot("pause", find(tenant, id).status());
                    }
                });
    }

    private boolean logPause(SessionId id) {
        var paused = NewEvent.lifecycle(id, "paused", JsonWriter.object());
        return core.events()
                .commit(
                        id,
                        (transaction, now) -> {
                            boolean changed =
                                    core.statuses()
                                            .change(
                                                    transaction,
                                                    id,
                                                    StatusChange.pausedByClient(),
                                                    now);
                            return new Commit<>(changed ? List.of(paused) : List.of(), changed);
                        })
                .value();
    }

    public SessionRow stop(TenantId tenant, SessionId id) {
        return change(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ACTIVE
                            && row.status() != SessionStatus.STARTING
                            && row.status() != SessionStatus.PAUSED) {
                        throw cannot("stop", row.status());
                    }
                    end(row, StatusChange.stopped(), "stopped", null);
                });
    }

    /** {@code action} is the action of the lifecycle event. */
    public SessionRow end(TenantId tenant, SessionId id, String action) {
        return end(tenant, id, action, null);
    }

    /** {@code reason} is logged with the lifecycle event. */
    public SessionRow end(TenantId tenant, SessionId id, String action, @Nullable String reason) {
        return change(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ENDED) {
                        end(row, StatusChange.ended(), action, reason);
                    }
                    core.runners().discard(row.sandbox());
                });
    }

    /** Ends all sessions of an agent that is about to be deleted. */
    public void endSessionsOf(DeployedAgent agent) {
        core.sessions().notEnded(agent.id()).forEach(row -> end(row.tenant(), row.id(), "ended"));
    }

    private void end(SessionRow row, StatusChange change, String action, @Nullable String reason) {
        var details = JsonWriter.object().put("reason", reason);
        var end =
                new End(
                        Optional.of(change),
                        "The session was " + action + " during the turn",
                        List.of(NewEvent.lifecycle(row.id(), action, details)));
        var session = live.find(row.id());
        if (session.filter(LiveSession::isAlive).isPresent()) {
            session.get().closer().end(end);
            session.get().closer().logPendingEnd();
        } else {
            session.ifPresent(dead -> dead.closer().awaitFailure());
            SessionEnd.log(core, row.id(), end);
        }
        live.remove(row.id());
        core.runners().terminate(row.sandbox());
    }

    public SessionRow resume(TenantId tenant, SessionId id) {
        return change(
                tenant,
                id,
                row -> {
                    if (row.status() == SessionStatus.ENDED) {
                        throw ended();
                    }
                    live.resumeLocked(row);
                });
    }

    public SessionRow configure(TenantId tenant, SessionId id, SessionApi.UpdateConfig requested) {
        return change(
                tenant,
                id,
                row -> {
                    if (row.status() == SessionStatus.ENDED) {
                        throw ended();
                    }
                    var config = SessionSetup.update(row.config(), requested);
                    var policy = SessionSetup.update(row, requested);
                    core.sessions().configure(id, config, policy);
                    core.egress().updateBudget(row.sandbox(), policy);
                    var restricted = core.egress().restrictTools(row, config);
                    live.find(id).ifPresent(session -> send(session, restricted));
                });
    }

    private static void send(LiveSession session, EngineConfig config) {
        if (config.permissionMode() != null) {
            session.setPermissionMode(config.permissionMode());
        }
        if (!session.isPlain()) {
            try {
                session.send(new BridgeCommand.Configure(session.id().value(), config));
            } catch (IOException e) {
                // The sandbox has exited; the next one gets the stored configuration.
            }
        }
    }

    private interface Change {
        void apply(SessionRow row);
    }

    private SessionRow change(TenantId tenant, SessionId id, Change change) {
        requireExists(tenant, id); // before the lock: it may be the session of another tenant
        return live.locked(
                id,
                () -> {
                    live.find(id).ifPresent(session -> session.closer().logPendingEnd());
                    change.apply(find(tenant, id));
                    return find(tenant, id);
                });
    }

    private static ApiException cannot(String action, SessionStatus status) {
        return status == SessionStatus.ENDED
                ? ended()
                : new ApiException(
                        ErrorCode.SESSION_NOT_ACTIVE,
                        "Cannot %s session with status \"%s\"".formatted(action, status.wire()));
    }

    public static ApiException ended() {
        var text = "Session has ended — create a new session";
        return new ApiException(ErrorCode.SESSION_ENDED, text);
    }
}
