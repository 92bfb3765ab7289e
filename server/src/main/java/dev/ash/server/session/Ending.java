package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a live session ended, and what the log still has to be told of it. Where the log cannot be
 * written, whoever reads a turn is told of its end all the same, and the log as soon as it can be.
 * Until then the session must not go on: its last turn would seem to be running still.
 */
final class Ending {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

    private final SessionCore core;
    private final SessionId session;
    private @Nullable End owed; // guarded by this

    private record End(
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            String why,
            List<NewEvent> lifecycle) {}

    Ending(SessionCore core, SessionId session) {
        this.core = core;
        this.session = session;
    }

    /** The state after the loss of the sandbox: a client's pause stays one. */
    SessionRow.Standing afterLoss() {
        var failed = new SessionRow.Standing(SessionStatus.ERROR, null);
        try {
            return core.sessions()
                    .find(session)
                    .map(SessionRow::standing)
                    .filter(standing -> standing.status() == SessionStatus.PAUSED)
                    .orElse(failed);
        } catch (RuntimeException e) { // open turns must end, also if the database fails
            LOG.log(System.Logger.Level.WARNING, "cannot read the state of " + session, e);
            return failed;
        }
    }

    /** Said before the sandbox is known to be gone. */
    synchronized void owe(
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            String why,
            List<NewEvent> lifecycle) {
        owed = new End(status, by, why, lifecycle);
    }

    /** Logs what is owed, or fails as before. */
    synchronized void settle() {
        var end = owed;
        if (end != null) {
            // Behind all that was said before: then the turns that are open stay so.
            core.events().flush(session);
            TurnEnds.log(
                    core, session, over(end), end.why(), end.status(), end.by(), end.lifecycle());
            owed = null;
        }
    }

    /** Logs what is owed, now or later. */
    void pay() {
        try {
            settle();
        } catch (ApiException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot log the end of session " + session, e);
            show();
            Thread.ofVirtual().start(this::settleSoon);
        }
    }

    private synchronized void show() {
        var end = owed;
        if (end != null) {
            for (var turn : over(end)) {
                show(NewEvent.error(session, turn, end.why()));
                show(NewEvent.done(session, turn));
            }
        }
    }

    private void show(NewEvent event) {
        var hint = new LoggedEvent(0, event.turn(), event.type(), event.data(), 0);
        core.events().hint(session, hint, () -> {});
    }

    private void settleSoon() {
        try {
            while (true) {
                Thread.sleep(BETWEEN_ATTEMPTS);
                try {
                    settle();
                    return;
                } catch (ApiException e) {
                    if (e.code() == ErrorCode.SHUTTING_DOWN) {
                        return; // the next server finds the turn without an end
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The turns that end with the session; other prompts wait for it to be active again. */
    private List<TurnId> over(End end) {
        boolean all = end.status() == SessionStatus.STOPPED || end.status() == SessionStatus.ENDED;
        return core.turns().open(session).stream()
                .filter(
                        turn ->
                                all
                                        || turn.status() == TurnStore.Status.RUNNING
                                        || turn.status() == TurnStore.Status.CONTINUED)
                .map(TurnStore.Open::id)
                .toList();
    }
}
