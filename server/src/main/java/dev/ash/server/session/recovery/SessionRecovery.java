package dev.ash.server.session.recovery;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.event.EventType;
import dev.ash.server.session.lifecycle.LiveSessions;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.live.SessionEnd;
import dev.ash.server.session.live.SessionEnd.End;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionStore.RecoverableSession;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.store.KillPoint;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;

/**
 * Recovers the sessions of a killed server. A running bridge is adopted, without any effect on its
 * session. If the bridge is gone, an interrupted turn ends with an error, after which the session
 * can be resumed, and an idle session sleeps. Idempotent: a recovery that was killed can be run
 * again.
 */
public final class SessionRecovery {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final String REASON =
            "The server was stopped during the turn; the next message resumes the session";

    private final LiveSessions live;
    private final SessionCore core;

    public SessionRecovery(SessionCore core, LiveSessions live) {
        this.core = core;
        this.live = live;
    }

    /** Recovers sessions concurrently: a bridge that does not respond delays no other. */
    public void run() {
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            core.sessions()
                    .recoverable()
                    .forEach(session -> executor.execute(() -> recover(session)));
        }
        core.runners().terminateLeftovers();
    }

    /** Wakes sessions with queued prompts, once the server accepts requests. */
    public void resumeQueues() {
        var resumer = new QueueResumer(live);
        core.events().addListener(Set.of(EventType.DONE), resumer);
        core.turns()
                .sessionsWithQueuedTurns()
                .forEach(id -> Thread.ofVirtual().start(() -> resumer.resume(id)));
    }

    private void recover(RecoverableSession session) {
        var row = session.row();
        try {
            var open = core.turns().open(row.id());
            boolean isDeferred =
                    open.stream().anyMatch(t -> t.status() == TurnStore.Status.DEFERRED);
            var nonce = session.nonce();
            if (nonce != null && !isDeferred && row.status() != SessionStatus.STARTING) {
                if (live.adopt(row, nonce)) {
                    return;
                }
            }
            markInterrupted(row, open, session.isAsleep() || isDeferred);
            KillPoint.SESSION_RECOVERED.reached();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "session " + row.id() + " was not recovered", e);
        }
    }

    private void markInterrupted(SessionRow row, List<TurnStore.OpenTurn> open, boolean isAsleep) {
        var interrupted =
                open.stream()
                        .filter(turn -> turn.status().hasEngine())
                        .map(TurnStore.OpenTurn::id)
                        .toList();
        if (!interrupted.isEmpty() || row.status() == SessionStatus.STARTING) {
            SessionEnd.log(
                    core, row.id(), interrupted, End.of(StatusChange.failed(REASON), REASON));
        } else if (row.status() == SessionStatus.ACTIVE && !isAsleep) {
            core.statuses().change(row.id(), StatusChange.pausedByServer());
        }
    }
}
