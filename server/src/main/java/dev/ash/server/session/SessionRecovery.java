package dev.ash.server.session;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.session.SessionRow.PausedBy;
import java.util.ArrayList;

/**
 * Sets right, at start, what a server that was killed left behind: sessions that look as if they
 * had a sandbox. A turn that was cut off is an error that can be resumed; an idle session only
 * sleeps.
 */
public final class SessionRecovery {
    private static final String WHY =
            "The server was stopped during the turn; resume the session to go on";

    private final SessionStore store;
    private final TurnStore turns;
    private final SessionEvents events;

    public SessionRecovery(SessionStore store, TurnStore turns, SessionEvents events) {
        this.store = store;
        this.turns = turns;
        this.events = events;
    }

    public void run() {
        store.leftRunning().forEach(this::recover);
    }

    private void recover(SessionRow row) {
        var open = turns.running(row.id());
        boolean cutOff = !open.isEmpty() || row.status() == SessionStatus.STARTING;
        var last = new ArrayList<NewEvent>();
        for (var turn : open) {
            last.add(NewEvent.error(row.id(), turn, WHY));
            last.add(NewEvent.done(row.id(), turn));
        }
        events.appendNow(
                row.id(),
                last,
                (transaction, now) -> {
                    open.forEach(turn -> turns.ended(transaction, turn, "error", now));
                    store.status(
                            transaction,
                            row.id(),
                            cutOff ? SessionStatus.ERROR : SessionStatus.PAUSED,
                            cutOff ? null : PausedBy.SERVER,
                            cutOff ? WHY : null,
                            now);
                });
    }
}
