package dev.ash.server.session;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.session.SessionRow.PausedBy;
import dev.ash.server.session.SessionStore.LeftBehind;
import dev.ash.server.store.KillPoint;
import java.util.List;
import java.util.concurrent.Executors;

/**
 * Goes on, at start, where a server was killed. A bridge that lives is taken up, and its session
 * notices nothing. Where it is gone, a turn that was cut off is an error that can be resumed; an
 * idle session only sleeps. Killed itself and run again, it comes to the same.
 */
public final class SessionRecovery {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final String WHY =
            "The server was stopped during the turn; the next message resumes the session";

    private final Sessions sessions;
    private final SessionCore core;
    private final SessionLauncher launcher;

    public SessionRecovery(Sessions sessions, SessionCore core, SessionLauncher launcher) {
        this.sessions = sessions;
        this.core = core;
        this.launcher = launcher;
    }

    /** All at once: a bridge that does not answer holds up no other. */
    public void run() {
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            core.sessions().leftBehind().forEach(left -> all.execute(() -> recover(left)));
        }
        core.runners().endLeftovers();
    }

    /** Wakes sessions with queued prompts; not before the server accepts requests. */
    public void goOn() {
        var resumer = new QueueResumer(sessions);
        core.events().listen(resumer);
        core.turns().withQueued().forEach(id -> Thread.ofVirtual().start(() -> resumer.resume(id)));
    }

    private void recover(LeftBehind left) {
        var row = left.row();
        try {
            var open = core.turns().open(row.id());
            boolean atRest = open.stream().anyMatch(t -> t.status() == TurnStore.Status.DEFERRED);
            var nonce = left.nonce();
            if (nonce != null && !atRest && row.status() != SessionStatus.STARTING) {
                var live = launcher.adopt(row, nonce);
                if (live.isPresent()) {
                    sessions.adopted(live.get());
                    return;
                }
            }
            settle(row, open, left.asleep() || atRest);
            KillPoint.SESSION_RECOVERED.reached();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "session " + row.id() + " was not recovered", e);
        }
    }

    private void settle(SessionRow row, List<TurnStore.Open> open, boolean asleep) {
        var cutOff =
                open.stream()
                        .filter(
                                turn ->
                                        turn.status() == TurnStore.Status.RUNNING
                                                || turn.status() == TurnStore.Status.CONTINUED)
                        .map(TurnStore.Open::id)
                        .toList();
        if (!cutOff.isEmpty() || row.status() == SessionStatus.STARTING) {
            TurnEnds.log(core, row.id(), cutOff, WHY, SessionStatus.ERROR, null, List.of());
        } else if (row.status() == SessionStatus.ACTIVE && !asleep) {
            TurnEnds.log(
                    core,
                    row.id(),
                    List.of(),
                    WHY,
                    SessionStatus.PAUSED,
                    PausedBy.SERVER,
                    List.of());
        }
    }
}
