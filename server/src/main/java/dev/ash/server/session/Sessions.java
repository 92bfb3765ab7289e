package dev.ash.server.session;

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
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.Askers;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.SessionRow.PausedBy;
import dev.ash.server.store.KeyedLocks;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The life of sessions: created, paused, stopped, resumed, put to sleep, woken, ended. What changes
 * the state of one session holds that session's lock; sessions do not wait for each other.
 */
public final class Sessions implements Askers, AutoCloseable {
    private final SessionCore core;
    private final SessionLauncher launcher;
    private final Registrar registrar;
    private final Map<SessionId, LiveSession> live = new ConcurrentHashMap<>();
    private final KeyedLocks<SessionId> locks = new KeyedLocks<>();
    private final AtomicLong warmResumes = new AtomicLong();
    private final AtomicLong coldResumes = new AtomicLong();
    private volatile boolean closing;

    public Sessions(SessionCore core, SessionLauncher launcher, Registrar registrar) {
        this.core = core;
        this.launcher = launcher;
        this.registrar = registrar;
    }

    SessionRow find(TenantId tenant, SessionId id) {
        return core.sessions().find(tenant, id).orElseThrow(() -> notFound(id));
    }

    boolean isThere(SessionRow row) {
        return core.sessions().standing(row.tenant(), row.id()).isPresent();
    }

    static ApiException notFound(SessionId id) {
        return new ApiException(ErrorCode.SESSION_NOT_FOUND, "Session not found: " + id.value());
    }

    /** A retry with the same key gets the same session. */
    SessionRow register(
            TenantId tenant, SessionApi.CreateSession request, Optional<IdempotencyKey> key) {
        return register(tenant, request, key, false);
    }

    /** {@code readOnly}: its agent can only read where it works. */
    SessionRow register(
            TenantId tenant,
            SessionApi.CreateSession request,
            Optional<IdempotencyKey> key,
            boolean readOnly) {
        requireOpen();
        return registrar.register(tenant, request, key, readOnly);
    }

    /** The engine that such a session has; refuses what none could be registered with. */
    String check(TenantId tenant, SessionApi.CreateSession request) {
        return registrar.check(tenant, request);
    }

    void requireOpen() {
        if (closing) {
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
    }

    /**
     * Starts the sandbox of a registered session; it is {@code active} or {@code error} then. A
     * retry that finds the first attempt failed tries again.
     */
    SessionRow start(SessionRow row) {
        return locks.holding(
                row.id(),
                () -> {
                    var present = find(row.tenant(), row.id());
                    switch (present.status()) {
                        case STARTING -> begin(present, List.of());
                        case ERROR -> goOn(present);
                        default -> {} // another attempt was first, or someone ended it
                    }
                    return find(row.tenant(), row.id());
                });
    }

    private LiveSession begin(SessionRow row, List<NewEvent> lifecycle) {
        return launcher.launch(row, lifecycle, session -> live.put(row.id(), session));
    }

    /** A bridge that outlived the server before this one. */
    void adopted(LiveSession session) {
        live.put(session.id(), session);
    }

    /** Wakes a session that Ash put to sleep, and resumes a failed one if the permit allows it. */
    LiveSession awake(TenantId tenant, SessionId id, ResumePermit permit) {
        var standing = core.sessions().standing(tenant, id).orElseThrow(() -> notFound(id));
        var session = live.get(id);
        if (standing.status() == SessionStatus.ACTIVE && session != null && session.isReady()) {
            return session;
        }
        return locks.holding(id, () -> woken(find(tenant, id), permit));
    }

    /** Whether its engine or sandbox is gone. Takes no lock: the writer's thread calls it. */
    boolean hasFailed(SessionId id) {
        var session = live.get(id);
        return session == null || session.hasFailed();
    }

    @Override
    public void wake(SessionId id) {
        locks.holding(
                id,
                () ->
                        core.sessions()
                                .find(id)
                                .filter(row -> row.standing().isUp())
                                .map(row -> woken(row, new ResumePermit())));
    }

    /** Resumes a failed session that has queued prompts, which are its next messages. */
    void resumeQueued(SessionId id) {
        locks.holding(
                id,
                () ->
                        core.sessions()
                                .find(id)
                                .filter(row -> !closing && row.standing().acceptsMessages())
                                .filter(row -> core.turns().hasQueued(id))
                                .map(row -> woken(row, new ResumePermit())));
    }

    @Override
    public Optional<Asker> of(SessionId id) {
        return live(id).filter(LiveSession::isAlive).map(session -> session);
    }

    private LiveSession woken(SessionRow row, ResumePermit permit) {
        var session = live.get(row.id());
        if (session != null && !session.isReady()) {
            session.awaitFailure(); // its state is being committed
            row = find(row.tenant(), row.id());
        }
        if (row.status() == SessionStatus.ENDED) {
            throw ended();
        }
        if (!row.standing().acceptsMessages()) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "Session is %s; POST /api/sessions/%s/resume makes it active"
                            .formatted(row.status().wire(), row.id()));
        }
        if (row.status() == SessionStatus.ERROR) {
            requireOpen();
            permit.use(row);
            return goOn(row);
        }
        if (session != null && session.isAwake()) {
            return session;
        }
        requireOpen();
        return cold(row, List.of());
    }

    Optional<LiveSession> live(SessionId id) {
        return Optional.ofNullable(live.get(id));
    }

    Collection<LiveSession> live() {
        return live.values();
    }

    SessionRow pause(TenantId tenant, SessionId id) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ACTIVE) {
                        throw cannot("pause", row);
                    }
                    if (!core.turns().open(id).isEmpty()) {
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
                    close(row, SessionStatus.STOPPED, PausedBy.CLIENT, "stopped", null);
                });
    }

    /** {@code action} is how the log calls it. */
    SessionRow end(TenantId tenant, SessionId id, String action) {
        return end(tenant, id, action, null);
    }

    /** The log has the reason of a client beside the action. */
    SessionRow end(TenantId tenant, SessionId id, String action, @Nullable String reason) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() != SessionStatus.ENDED) {
                        close(row, SessionStatus.ENDED, null, action, reason);
                    }
                    core.runners().discard(row.sandbox());
                });
    }

    /** Ends all sessions of an agent that is about to be deleted. */
    public void endAllOf(DeployedAgent agent) {
        core.sessions().unended(agent.id()).forEach(row -> end(row.tenant(), row.id(), "ended"));
    }

    SessionRow resume(TenantId tenant, SessionId id) {
        return changing(
                tenant,
                id,
                row -> {
                    if (row.status() == SessionStatus.ENDED) {
                        throw ended();
                    }
                    goOn(row);
                });
    }

    private LiveSession goOn(SessionRow row) {
        var present = live.get(row.id());
        if (present != null && present.isAwake()) {
            warm(row, present);
            return present;
        }
        boolean readmitted = readmit(row);
        try {
            return cold(row, List.of(resumed(row.id(), "cold")));
        } catch (ApiException e) {
            if (readmitted) {
                change(row, SessionStatus.ERROR, e.sentence());
            }
            throw e;
        }
    }

    /** A session whose creation failed does not count as one until somebody tries again. */
    private boolean readmit(SessionRow row) {
        boolean failedBefore = row.status() == SessionStatus.ERROR && row.isolation() == null;
        if (failedBefore) {
            change(row, SessionStatus.STARTING, null);
        }
        return failedBefore;
    }

    private void change(SessionRow row, SessionStatus status, @Nullable String error) {
        core.events()
                .appendNow(
                        row.id(),
                        List.of(),
                        (transaction, now) -> {
                            if (status == SessionStatus.STARTING) {
                                core.quotas().requireSession(transaction, row.tenant());
                            }
                            core.sessions().status(transaction, row.id(), status, null, error, now);
                        });
    }

    private void warm(SessionRow row, LiveSession session) {
        if (row.status() == SessionStatus.ACTIVE) {
            return;
        }
        warmResumes.incrementAndGet();
        core.events()
                .appendNow(
                        row.id(),
                        List.of(resumed(row.id(), "warm")),
                        (transaction, now) ->
                                core.sessions()
                                        .status(
                                                transaction,
                                                row.id(),
                                                SessionStatus.ACTIVE,
                                                null,
                                                null,
                                                now));
        session.mended();
    }

    private LiveSession cold(SessionRow row, List<NewEvent> lifecycle) {
        var former = live.remove(row.id());
        if (former != null) {
            former.awaitEnd();
        }
        core.runners().end(row.sandbox());
        coldResumes.incrementAndGet();
        return begin(row, lifecycle);
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
                    var wall = SessionSetup.changed(row, change);
                    core.events()
                            .appendNow(
                                    id,
                                    List.of(),
                                    (transaction, _) -> {
                                        core.sessions().config(transaction, id, config);
                                        core.sessions().wall(transaction, id, wall);
                                    });
                    core.egress().limit(row.sandbox(), wall);
                    var told = core.egress().restricted(row, config);
                    live(id).ifPresent(session -> tell(session, id, told));
                });
    }

    private static void tell(LiveSession session, SessionId id, EngineConfig config) {
        if (config.permissionMode() != null) {
            session.permissionMode(config.permissionMode());
        }
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

    private void close(
            SessionRow row,
            SessionStatus status,
            @Nullable PausedBy by,
            String action,
            @Nullable String reason) {
        var details = JsonWriter.object().put("reason", reason);
        var lifecycle = List.of(NewEvent.lifecycle(row.id(), action, details));
        var why = "The session was " + action + " during the turn";
        var session = live.get(row.id());
        if (session != null && session.isAlive()) {
            session.end(status, by, why, lifecycle);
            session.settle();
        } else {
            if (session != null) {
                session.awaitEnd(); // it died, and what it had said is still being read
                session.settle();
            }
            var over = core.turns().open(row.id()).stream().map(TurnStore.Open::id).toList();
            TurnEnds.log(core, row.id(), over, why, status, by, lifecycle);
        }
        live.remove(row.id());
        core.runners().end(row.sandbox());
    }

    private void note(SessionRow row, SessionStatus status, @Nullable PausedBy by, String action) {
        core.events()
                .appendNow(
                        row.id(),
                        List.of(NewEvent.lifecycle(row.id(), action, JsonWriter.object())),
                        (transaction, now) ->
                                core.sessions()
                                        .status(transaction, row.id(), status, by, null, now));
    }

    private interface Change {
        void make(SessionRow row);
    }

    private SessionRow changing(TenantId tenant, SessionId id, Change change) {
        find(tenant, id); // before anything is done for a session that is not the caller's
        return locks.holding(
                id,
                () -> {
                    live(id).ifPresent(LiveSession::settle);
                    change.make(find(tenant, id));
                    return find(tenant, id);
                });
    }

    /** Runs the action while the state of this session cannot change. */
    <T> T holding(SessionId id, java.util.function.Supplier<T> action) {
        return locks.holding(id, action);
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
        var text = "Session has ended — create a new session";
        return new ApiException(ErrorCode.SESSION_ENDED, text);
    }

    public long warmResumes() {
        return warmResumes.get();
    }

    public long coldResumes() {
        return coldResumes.get();
    }

    /**
     * Ends the sandbox of an idle session, unless the state of the session is changing. Returns
     * whether the sandbox is gone.
     */
    boolean sleep(LiveSession session) {
        return locks.tryHolding(session.id(), () -> sleepHeld(session) == null).orElse(false);
    }

    /** The same for the holder of the session's lock; returns why it cannot be, or null. */
    @Nullable String sleepHeld(LiveSession session) {
        if (live.get(session.id()) != session) {
            return null;
        }
        var why = session.rest();
        if (why == null) {
            live.remove(session.id(), session);
            core.runners().end(session.sandbox());
        }
        return why;
    }

    /** Gives a sandbox's place away, if its session can do without it for now. */
    public boolean evict(SandboxId sandbox) {
        return live.values().stream()
                .filter(session -> session.sandbox().equals(sandbox) && !session.isBusy())
                .findFirst()
                .map(this::sleep)
                .orElse(false);
    }

    /** Ends every sandbox; the sessions sleep and wake on their next message. */
    @Override
    public void close() {
        closing = true;
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            live.values().forEach(session -> all.execute(() -> shutDown(session)));
        }
    }

    private void shutDown(LiveSession session) {
        locks.holding(session.id(), () -> shutDownHeld(session));
    }

    private LiveSession shutDownHeld(LiveSession session) {
        if (live.remove(session.id(), session) && session.isAlive()) {
            ServerShutdown.end(core, session);
        }
        return session;
    }
}
