package dev.ash.server.session.lifecycle;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.session.live.LiveSession;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.live.SessionEnd;
import dev.ash.server.session.live.SessionEnd.End;
import dev.ash.server.session.store.StatusChange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Closes the sandboxes of idle sessions, and all of them when the server shuts down. The next
 * message wakes the session.
 */
public final class SessionSleeper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final String SHUTDOWN = "The server was stopped during the turn";

    private final SessionCore core;
    private final LiveSessions live;
    private final Duration idleTimeout;
    private @Nullable Thread thread;

    public SessionSleeper(SessionCore core, LiveSessions live, Duration idleTimeout) {
        this.core = core;
        this.live = live;
        this.idleTimeout = idleTimeout;
    }

    /** Starts the thread that looks for idle sessions. */
    public void start() {
        thread = Thread.ofVirtual().name("session-sleeper").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(Math.clamp(idleTimeout.toMillis() / 4, 20, 30_000));
                live.all().stream()
                        .filter(this::isIdle)
                        .forEach(session -> Thread.ofVirtual().start(() -> sleepIdle(session)));
            }
        } catch (InterruptedException e) {
            // The server is shutting down.
        }
    }

    /** A turn that only waits for an answer is idle too; the bridge decides whether it can rest. */
    private boolean isIdle(LiveSession session) {
        return session.idleFor().compareTo(idleTimeout) >= 0
                && (!session.isBusy() || core.approvals().countPending(session.id()) == 1);
    }

    private void sleepIdle(LiveSession session) {
        try {
            if (!live.sleep(session)) {
                session.markUsed(); // try again after the idle timeout
            }
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "cannot put session " + session.id() + " to sleep",
                    e);
        }
    }

    /** Closes every sandbox and admits no new ones. */
    public void shutDown() {
        live.shutDown();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            live.all().forEach(session -> executor.execute(() -> shutDown(session)));
        }
    }

    private void shutDown(LiveSession session) {
        live.locked(
                session.id(),
                () -> {
                    boolean isOurs = live.remove(session) && session.isAlive();
                    if (isOurs) {
                        shutDownLocked(session);
                    }
                    return isOurs;
                });
    }

    /** A session that a client has paused, or that has failed, stays so. */
    private void shutDownLocked(LiveSession session) {
        boolean isActive =
                core.sessions()
                        .find(session.id())
                        .filter(row -> row.status() == SessionStatus.ACTIVE)
                        .isPresent();
        var change =
                isActive
                        ? Optional.of(StatusChange.pausedByServer())
                        : Optional.<StatusChange>empty();
        var end = new End(change, SHUTDOWN, List.of());
        boolean isAsleep = (!isActive || session.isBusy()) && session.closer().rest() == null;
        if (!isAsleep) {
            session.closer().end(end);
        } else if (isActive) {
            SessionEnd.log(core, session.id(), List.of(), end);
        }
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
