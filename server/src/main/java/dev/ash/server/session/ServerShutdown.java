package dev.ash.server.session;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.session.SessionRow.PausedBy;
import java.util.List;

/** Terminates the sandbox of a session because the server shuts down. */
final class ServerShutdown {
    private static final String STOPPED = "The server was stopped during the turn";

    /** For the holder of the session's lock. A client's pause stays one, and so does an error. */
    static void end(SessionCore core, LiveSession session) {
        var row = core.sessions().find(session.id());
        boolean active = row.map(r -> r.status() == SessionStatus.ACTIVE).orElse(false);
        var status = active ? SessionStatus.PAUSED : row.get().status();
        var by = active ? PausedBy.SERVER : row.get().pausedBy();
        boolean rests = (!active || session.isBusy()) && session.rest() == null;
        if (!rests) {
            session.end(status, by, STOPPED, List.of());
        } else if (active) {
            TurnEnds.log(core, session.id(), List.of(), STOPPED, status, by, List.of());
        }
    }

    private ServerShutdown() {}
}
