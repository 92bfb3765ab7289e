package dev.ash.server.hooks;

import dev.ash.protocol.SessionId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls that terminals have begun, so that a question without an id gets that of its call. Kept
 * in memory: a question follows the beginning of its call at once.
 */
final class TerminalCalls {
    private static final int MAX_SESSIONS = 1000;

    private final Map<SessionId, PendingCalls> sessions = new BoundedMap(); // guarded by this

    /** The session that was used longest ago goes first. */
    private static final class BoundedMap extends LinkedHashMap<SessionId, PendingCalls> {
        private static final long serialVersionUID = 1L;

        private BoundedMap() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<SessionId, PendingCalls> eldest) {
            return size() > MAX_SESSIONS;
        }
    }

    private synchronized PendingCalls of(SessionId session) {
        return sessions.computeIfAbsent(session, _ -> new PendingCalls());
    }

    synchronized void forget(SessionId session) {
        sessions.remove(session);
    }

    void take(HookEvent event) {
        var id = event.toolUseId();
        if (event.is("PreToolUse") && id != null) {
            of(event.session()).begun(id, event.tool(), event.toolInput());
        } else if (event.is("PostToolUse", "PostToolUseFailure")) {
            if (id == null) {
                of(event.session()).ended(event.tool(), event.toolInput());
            } else {
                of(event.session()).ended(id);
            }
        } else if (event.is("Stop", "StopFailure", "SessionEnd")) {
            forget(event.session());
        }
    }

    /** The id of the call that an event asks about; null if no hook has told it. */
    @Nullable String idOf(HookEvent event) {
        var own = event.toolUseId();
        return own == null
                ? of(event.session()).asked(event.tool(), event.toolInput()).orElse(null)
                : own;
    }
}
