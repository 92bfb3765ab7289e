package dev.ash.server.hooks;

import dev.ash.protocol.SessionId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracks tool calls in progress by session, to find the call id of questions without one. Kept in
 * memory only: a question immediately follows the start of its call.
 */
final class TerminalCalls {
    private static final int MAX_SESSIONS = 1000;

    private final Map<SessionId, PendingCalls> sessions = new BoundedMap(); // guarded by this

    /** Evicts the least recently used session. */
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

    synchronized void remove(SessionId session) {
        sessions.remove(session);
    }

    void update(HookEvent event) {
        var id = event.toolUseId();
        if (event.is("PreToolUse") && id != null) {
            of(event.session()).start(id, event.tool(), event.toolInput());
        } else if (event.is("PostToolUse", "PostToolUseFailure")) {
            if (id == null) {
                of(event.session()).finish(event.tool(), event.toolInput());
            } else {
                of(event.session()).finish(id);
            }
        } else if (event.is("Stop", "StopFailure", "SessionEnd")) {
            remove(event.session());
        }
    }

    /** Returns the id of the call that a question is about; null if unknown. */
    @Nullable String callIdOf(HookEvent event) {
        var id = event.toolUseId();
        return id == null
                ? of(event.session()).matchQuestion(event.tool(), event.toolInput()).orElse(null)
                : id;
    }
}
