package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.agent.Agents;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.Askers;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.engine.EngineStart;
import dev.ash.server.session.live.LiveSession;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.store.KeyedLocks;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that have a sandbox. Starts one for new, sleeping, paused, stopped and failed
 * sessions on demand. Has a lock for each session, under which its status changes.
 */
public final class LiveSessions implements Askers {
    private final SessionCore core;
    private final SessionLauncher launcher;
    private final Map<SessionId, LiveSession> live = new ConcurrentHashMap<>();
    private final KeyedLocks<SessionId> locks = new KeyedLocks<>();
    private final AtomicLong warmResumes = new AtomicLong();
    private final AtomicLong coldResumes = new AtomicLong();
    private volatile boolean closing;

    public LiveSessions(SessionCore core, Agents agents, EngineStart engineStart) {
        this.core = core;
        this.launcher = new SessionLauncher(core, agents, engineStart, this::evict);
    }

    public Optional<LiveSession> find(SessionId id) {
        return Optional.ofNullable(live.get(id));
    }

    Optional<LiveSession> findIn(SandboxId sandbox) {
        return live.values().stream()
                .filter(session -> session.sandbox().equals(sandbox))
                .findFirst();
    }

    Collection<LiveSession> all() {
        return live.values();
    }

    public void add(LiveSession session) {
        live.put(session.id(), session);
    }

    Optional<LiveSession> remove(SessionId id) {
        return Optional.ofNullable(live.remove(id));
    }

    /** Returns false if the session has another sandbox meanwhile, or none. */
    boolean remove(LiveSession session) {
        return live.remove(session.id(), session);
    }

    boolean contains(LiveSession session) {
        return live.get(session.id()) == session;
    }

    /** Whether the engine or sandbox of a session has exited. Takes no lock. */
    public boolean hasFailed(SessionId id) {
        return find(id).map(LiveSession::hasFailed).orElse(true);
    }

    /** Adopts the bridge of a session from an earlier server; returns false if it has exited. */
    public boolean adopt(SessionRow row, String nonce) {
        return locked( // a resting bridge can receive a wake request before it is added
                row.id(),
                () -> {
                    var adopted = launcher.adopt(row, nonce);
                    adopted.ifPresent(this::add);
                    return adopted.isPresent();
                });
    }

    /** Runs the action under the lock of the session. */
    <T> T locked(SessionId id, Supplier<T> action) {
        return locks.holding(id, action);
    }

    /** Runs the action unless the lock of the session is held. */
    <T> Optional<T> tryLocked(SessionId id, Supplier<T> action) {
        return locks.tryHolding(id, action);
    }

    /** Rejects new sandboxes from now on. */
    void shutDown() {
        closing = true;
    }

    void requireOpen() {
        if (closing) {
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
    }

    /** Returns the number of resumes of sessions that had a sandbox. */
    public long warmResumes() {
        return warmResumes.get();
    }

    /** Returns the number of resumes that started a new sandbox. */
    public long coldResumes() {
        return coldResumes.get();
    }

    /** Wakes a session that Ash put to sleep, and resumes a failed one if the permit allows it. */
    public LiveSession wake(TenantId tenant, SessionId id, ResumePermit permit) {
        var standing =
                core.sessions().statusDetails(tenant, id).orElseThrow(() -> Sessions.notFound(id));
        var session = find(id);
        if (standing.status() == SessionStatus.ACTIVE
                && session.filter(LiveSession::isReady).isPresent()) {
            return session.get();
        }
        return locked(id, () -> wakeLocked(row(tenant, id), permit));
    }

    @Override
    public void wake(SessionId id) {
        locked(
                id,
                () ->
                        core.sessions()
                                .find(id)
                                .filter(row -> row.statusDetails().wakesOnMessage())
                                .map(row -> wakeLocked(row, new ResumePermit())));
    }

    /** Resumes a failed session that has queued prompts, which are its next messages. */
    public void wakeForQueue(SessionId id) {
        locked(
                id,
                () ->
                        core.sessions()
                                .find(id)
                                .filter(row -> !closing)
                                .filter(row -> row.statusDetails().acceptsMessages())
                                .filter(row -> core.turns().hasQueued(id))
                                .map(row -> wakeLocked(row, new ResumePermit())));
    }

    @Override
    public Optional<Asker> askerOf(SessionId id) {
        return find(id).filter(LiveSession::isAlive).map(session -> session);
    }

    private LiveSession wakeLocked(SessionRow found, ResumePermit permit) {
        var session = find(found.id());
        var row = found;
        boolean isReady = session.filter(LiveSession::isReady).isPresent();
        if (session.isPresent() && !isReady) {
            session.get().closer().awaitFailure();
            row = row(row.tenant(), row.id());
        }
        if (row.status() == SessionStatus.ENDED) {
            throw Sessions.ended();
        }
        if (!row.statusDetails().acceptsMessages()) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "Session is %s; resume it with POST /api/sessions/%s/resume"
                            .formatted(row.status().wire(), row.id()));
        }
        if (row.status() == SessionStatus.ERROR) {
            requireOpen();
            permit.use(row);
            return resumeLocked(row);
        }
        // A session that was ready may have failed since. It is not asleep: the caller cannot open
        // its turn, and calls again.
        if (isReady || session.filter(LiveSession::isAwake).isPresent()) {
            return session.get();
        }
        requireOpen();
        return startCold(row, List.of());
    }

    /** Starts the sandbox of a new session. For the holder of the session's lock. */
    LiveSession startLocked(SessionRow row) {
        return launcher.launch(row, List.of(), this::add);
    }

    /** Makes the session active, from any status. For the holder of the session's lock. */
    LiveSession resumeLocked(SessionRow row) {
        var present = find(row.id()).filter(LiveSession::isAwake);
        if (present.isPresent()) {
            resumeWarm(row, present.get());
            return present.get();
        }
        boolean isRetry = row.status() == SessionStatus.ERROR && row.isolation() == null;
        if (isRetry) {
            admitAgain(row);
        }
        try {
            return startCold(row, List.of(resumedEvent(row.id(), "cold")));
        } catch (ApiException e) {
            if (isRetry) {
                core.statuses().change(row.id(), StatusChange.failed(e.message()));
            }
            throw e;
        }
    }

    /** A session whose creation failed does not count toward the quota until it is retried. */
    private void admitAgain(SessionRow row) {
        core.statuses()
                .change(
                        row.id(),
                        StatusChange.retried(),
                        transaction -> core.quotas().requireSession(transaction, row.tenant()));
    }

    private void resumeWarm(SessionRow row, LiveSession session) {
        if (row.status() == SessionStatus.ACTIVE) {
            return;
        }
        warmResumes.incrementAndGet();
        core.events()
                .append(
                        row.id(),
                        List.of(resumedEvent(row.id(), "warm")),
                        (transaction, now) -> {
                            if (!core.statuses()
                                    .change(transaction, row.id(), StatusChange.resumed(), now)) {
                                throw new ApiException(
                                        ErrorCode.SESSION_NOT_ACTIVE,
                                        "The status of the session has changed; resume it again");
                            }
                        });
        session.resumeEngine();
    }

    private LiveSession startCold(SessionRow row, List<NewEvent> lifecycle) {
        remove(row.id()).ifPresent(former -> former.closer().awaitClosed());
        core.runners().terminate(row.sandbox());
        coldResumes.incrementAndGet();
        return launcher.launch(row, lifecycle, this::add);
    }

    /** Closes the sandbox of an idle session; false also while the session's status is changing. */
    public boolean sleep(LiveSession session) {
        return tryLocked(session.id(), () -> sleepLocked(session) == null).orElse(false);
    }

    /** For the holder of the session's lock; returns the obstacle, or null. */
    @Nullable String sleepLocked(LiveSession session) {
        if (!contains(session)) {
            return null;
        }
        var obstacle = session.closer().rest();
        if (obstacle == null) {
            remove(session);
            core.runners().terminate(session.sandbox());
        }
        return obstacle;
    }

    /** Returns whether the idle session in this sandbox was put to sleep. */
    private boolean evict(SandboxId sandbox) {
        return findIn(sandbox).filter(session -> !session.isBusy()).map(this::sleep).orElse(false);
    }

    private static NewEvent resumedEvent(SessionId id, String path) {
        return NewEvent.lifecycle(id, "resumed", JsonWriter.object().put("path", path));
    }

    private SessionRow row(TenantId tenant, SessionId id) {
        return core.sessions().find(tenant, id).orElseThrow(() -> Sessions.notFound(id));
    }
}
