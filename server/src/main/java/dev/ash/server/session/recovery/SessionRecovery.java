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
 * Goes on, at start, where a server was killed. A bridge that lives is taken up, and its session
 * notices nothing. Where it is gone, a turn that was cut off is an error that can be resumed; an
 * idle session only sleeps. Killed itself and run again, it comes to the same.
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

    /** All at once: a bridge that does not answer holds up no other. */
    public void run() {
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            core.sessions().recoverable().forEach(left -> all.execute(() -> recover(left)));
        }
        core.runners().terminateLeftovers();
    }

    /** Wakes sessions with queued prompts; not before the server accepts requests. */
    public void resumeQueues() {
        var resumer = new QueueResumer(live);
        core.events().addListener(Set.of(EventType.DONE), resumer);
        core.turns()
                .sessionsWithQueuedTurns()
                .forEach(id -> Thread.ofVirtual().start(() -> resumer.resume(id)));
    }

    private void recover(RecoverableSession left) {
        var row = left.row();
        try {
            var open = core.turns().open(row.id());
            boolean atRest = open.stream().anyMatch(t -> t.status() == TurnStore.Status.DEFERRED);
            var nonce = left.nonce();
            if (nonce != null && !atRest && row.status() != SessionStatus.STARTING) {
                if (live.adopt(row, nonce)) {
                    return;
                }
            }
            markInterrupted(row, open, left.isAsleep() || atRest);
            KillPoint.SESSION_RECOVERED.reached();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "session " + row.id() + " was not recovered", e);
        }
    }

    private void markInterrupted(SessionRow row, List<TurnStore.OpenTurn> open, boolean asleep) {
        var cutOff =
                open.stream()
                        .filter(turn -> turn.status().hasEngine())
                        .map(TurnStore.OpenTurn::id)
                        .toList();
        if (!cutOff.isEmpty() || row.status() == SessionStatus.STARTING) {
            SessionEnd.log(core, row.id(), cutOff, End.of(StatusChange.failed(REASON), REASON));
        } else if (row.status() == SessionStatus.ACTIVE && !asleep) {
            core.statuses().change(row.id(), StatusChange.pausedByServer());
        }
    }
}
