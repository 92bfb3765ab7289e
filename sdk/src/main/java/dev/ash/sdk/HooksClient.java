package dev.ash.sdk;

import dev.ash.protocol.rest.HookApi;
import dev.ash.protocol.rest.SessionApi;
import java.util.List;

/** The calls below {@code /api/hooks}: sessions that run in terminals outside Ash. */
public final class HooksClient {
    private final Calls calls;

    HooksClient(Calls calls) {
        this.calls = calls;
    }

    /** Terminal sessions, latest first. */
    public List<HookApi.TerminalSession> sessions() {
        return calls.get(sessionsTarget(), HookApi.Sessions.class).sessions();
    }

    /**
     * The hook events of a terminal session with a greater sequence than {@code after} (0: all).
     */
    public List<SessionApi.Event> events(String id, long after) {
        var target = sessionsTarget().segment(id).segment("events").query("after", after);
        return calls.get(target, SessionApi.Events.class).events();
    }

    private static Target sessionsTarget() {
        return Target.of("/api/hooks/sessions");
    }
}
