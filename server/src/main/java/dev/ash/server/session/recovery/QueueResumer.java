package dev.ash.server.session.recovery;

import dev.ash.protocol.SessionId;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.session.lifecycle.LiveSessions;

/**
 * Resumes a failed session that has queued prompts. Each attempt follows the end of a turn, so that
 * the length of the queue limits the number of attempts.
 */
final class QueueResumer implements SessionEvents.Listener {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final LiveSessions live;

    QueueResumer(LiveSessions live) {
        this.live = live;
    }

    @Override
    public void onCommit(SessionId session, LoggedEvent event) {
        if (live.hasFailed(session)) {
            Thread.ofVirtual().start(() -> resume(session));
        }
    }

    /** Starts no sandbox for a session that has no queued prompts. */
    void resume(SessionId session) {
        try {
            live.wakeForQueue(session);
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "session {0} cannot continue with its queued prompts: {1}",
                    session,
                    e);
        }
    }
}
