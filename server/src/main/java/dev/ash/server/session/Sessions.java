package dev.ash.server.session;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.agent.Agents;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.SessionRow.PausedBy;
import dev.ash.server.store.KeyedLocks;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The life of sessions: created, paused, stopped, resumed, ended. What changes the state of one
 * session holds that session's lock; sessions do not wait for each other.
 */
public final class Sessions implements AutoCloseable {
    private final SessionStore store;
    private final SessionEvents events;
    private final Agents agents;
    private final SessionLauncher launcher;
    private final RunnerCoordinator runners;
    private final Engines engines;
    private final Clock clock;
    private final Map<SessionId, LiveSession> live = new ConcurrentHashMap<>();
    private final KeyedLocks<SessionId> locks = new KeyedLocks<>();
    private final AtomicLong warmResumes = new AtomicLong();
    private final AtomicLong coldResumes = new AtomicLong();
    private volatile boolean closing;

    public Sessions(
            SessionStore store,
            SessionEvents events,
            Agents agents,
            SessionLauncher launcher,
            RunnerCoordinator runners,
            Engines engines,
            Clock clock) {
        this.store = store;
        this.events = events;
        this.agents = agents;
        this.launcher = launcher;
        this.runners = runners;
        this.engines = engines;
        this.clock = clock;
    }

    SessionRow find(TenantId tenant, SessionId id) {
        return store.find(tenant, id).orElseThrow(Sessions::notFound);
    }

    private static ApiException notFound() {
        return new ApiException(ErrorCode.SESSION_NOT_FOUND, "Session not found");
    }

    /** Logs the session before anything is started, so that a failure has a place to be told. */
    SessionRow register(TenantId tenant, SessionApi.CreateSession request) {
        if (closing) {
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
        var agent = agents.find(tenant, new AgentName(request.agent()));
        var setup = SessionSetup.of(request, agent, engines);
        long now = clock.millis();
        var row =
                new SessionRow(
                        SessionId.random(),
                        tenant,
                        agent.id(),
                        agent.name(),
                        agent.version(),
                        SandboxId.random(),
                        new SessionRow.Standing(SessionStatus.STARTING, null),
                        setup.engine(),
                        setup.permissionMode(),
                        setup.config(),
                        null,
                        null,
                        now,
                        now);
        var created =
                NewEvent.lifecycle(
                        row.id(),
                        "created",
                        JsonWriter.object()
                                .put("agentName", agent.name().value())
                                .put("model", setup.config().model()));
        events.appendNow(
                row.id(), List.of(created), (transaction, _) -> store.insert(transaction, row));
        return row;
    }

    /** Starts the sandbox of a registered session; it is {@code active} or {@code error} then. */
    SessionRow start(SessionRow row) {
        return locks.holding(
                row.id(),
                () -> {
                    var present = find(row.tenant(), row.id());
                    if (present.status() != SessionStatus.STARTING) {
                        return present; // ended by someone else before it began
                    }
                    begin(present, List.of());
                    return find(row.tenant(), row.id());
                });
    }

    private void begin(SessionRow row, List<NewEvent> lifecycle) {
        launcher.launch(row, lifecycle, session -> live.put(row.id(), session));
    }

    /** The live side of a session that can take a message, waking it if Ash put it to sleep. */
    LiveSession awake(TenantId tenant, SessionId id) {
        var standing = store.standing(tenant, id).orElseThrow(Sessions::notFound);
        if (standing.wakesByItself()) {
            standing = resume(tenant, id).standing();
        }
        if (standing.status() == SessionStatus.ENDED) {
            throw ended();
        }
        var session = live.get(id);
        if (standing.status() != SessionStatus.ACTIVE || session == null) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "Session is %s; POST /api/sessions/%s/resume makes it active"
                            .formatted(standing.status().wire(), id));
        }
        return session;
    }

    Optional<LiveSession> live(SessionId id) {
        return Optional.ofNullable(live.get(id));
    }

    SessionRow pause(TenantId tenant, SessionId id) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ACTIVE) {
                        throw cannot("pause", row);
                    }
                    if (live(id).map(LiveSession::isBusy).orElse(false)) {
                        throw new ApiException(
                                ErrorCode.SESSION_BUSY,
                                "The session is busy with a turn; wait for its done, or interrupt it,"
                                        + " then pause");
                    }
                    note(row, SessionStatus.PAUSED, PausedBy.CLIENT, "paused");
                });
    }

    SessionRow stop(TenantId tenant, SessionId id) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ACTIVE
                            && row.status() != SessionStatus.STARTING
                            && row.status() != SessionStatus.PAUSED) {
                        throw cannot("stop", row);
                    }
                    close(row, SessionStatus.STOPPED, PausedBy.CLIENT, "stopped");
                });
    }

    SessionRow end(TenantId tenant, SessionId id) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ENDED) {
                        close(row, SessionStatus.ENDED, null, "ended");
                    }
                    runners.discard(row.sandbox());
                });
    }

    /** Ends all sessions of an agent that is about to be deleted. */
    public void endAllOf(DeployedAgent agent) {
        store.unended(agent.id()).forEach(row -> end(row.tenant(), row.id()));
    }

    SessionRow resume(TenantId tenant, SessionId id) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() == SessionStatus.ENDED) {
                        throw ended();
                    }
                    var present = live.get(id);
                    boolean warm = present != null && present.isAlive();
                    if (row.status() == SessionStatus.ACTIVE && warm) {
                        return;
                    }
                    if (warm) {
                        warmResumes.incrementAndGet();
                        events.appendNow(
                                id,
                                List.of(resumed(id, "warm")),
                                (transaction, now) ->
                                        store.status(
                                                transaction,
                                                id,
                                                SessionStatus.ACTIVE,
                                                null,
                                                null,
                                                now));
                    } else {
                        live.remove(id);
                        runners.end(row.sandbox());
                        coldResumes.incrementAndGet();
                        begin(row, List.of(resumed(id, "cold")));
                    }
                });
    }

    SessionRow configure(TenantId tenant, SessionId id, SessionApi.UpdateConfig change) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() == SessionStatus.ENDED) {
                        throw ended();
                    }
                    var config = SessionSetup.changed(row.config(), change);
                    events.appendNow(
                            id,
                            List.of(),
                            (transaction, _) -> store.config(transaction, id, config));
                    live(id).ifPresent(session -> tell(session, id, config));
                });
    }

    private static void tell(LiveSession session, SessionId id, EngineConfig config) {
        if (session.speaksOurs()) {
            try {
                session.send(new BridgeCommand.Configure(id.value(), config));
            } catch (IOException e) {
                // The sandbox is gone; whoever resumes it gets the stored configuration.
            }
        }
    }

    private static NewEvent resumed(SessionId id, String path) {
        return NewEvent.lifecycle(id, "resumed", JsonWriter.object().put("path", path));
    }

    private void close(SessionRow row, SessionStatus status, @Nullable PausedBy by, String action) {
        var lifecycle = NewEvent.lifecycle(row.id(), action, JsonWriter.object());
        var session = live.remove(row.id());
        if (session != null && session.isAlive()) {
            session.end(
                    status,
                    by,
                    "The session was " + action + " during the turn",
                    List.of(lifecycle));
        } else {
            note(row, status, by, action);
        }
        runners.end(row.sandbox());
    }

    private void note(SessionRow row, SessionStatus status, @Nullable PausedBy by, String action) {
        events.appendNow(
                row.id(),
                List.of(NewEvent.lifecycle(row.id(), action, JsonWriter.object())),
                (transaction, now) -> store.status(transaction, row.id(), status, by, null, now));
    }

    private interface Change {
        void make(SessionRow row);
    }

    private SessionRow changing(TenantId tenant, SessionId id, Change change) {
        return locks.holding(
                id,
                () -> {
                    change.make(find(tenant, id));
                    return find(tenant, id);
                });
    }

    private static ApiException cannot(String action, SessionRow row) {
        return row.status() == SessionStatus.ENDED
                ? ended()
                : new ApiException(
                        ErrorCode.SESSION_NOT_ACTIVE,
                        "Cannot %s session with status \"%s\""
                                .formatted(action, row.status().wire()));
    }

    static ApiException ended() {
        return new ApiException(
                ErrorCode.SESSION_ENDED, "Session has ended — create a new session");
    }

    public long warmResumes() {
        return warmResumes.get();
    }

    public long coldResumes() {
        return coldResumes.get();
    }

    /** Ends every sandbox; the sessions sleep and wake on their next message. */
    @Override
    public void close() {
        closing = true;
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            live.forEach((id, session) -> all.execute(() -> sleep(id, session)));
        }
    }

    private void sleep(SessionId id, LiveSession session) {
        locks.holding(
                id,
                () -> {
                    if (live.remove(id, session) && session.isAlive()) {
                        var by =
                                store.find(id)
                                        .map(SessionRow::pausedBy)
                                        .orElse(PausedBy.SERVER); // a client's pause stays one
                        session.end(
                                SessionStatus.PAUSED,
                                by,
                                "The server was stopped during the turn",
                                List.of());
                    }
                    return id;
                });
    }
}
