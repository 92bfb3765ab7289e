package dev.ash.sdk;

import dev.ash.protocol.rest.HookApi;
import dev.ash.protocol.rest.SessionApi;
import java.util.List;

/** Client for the {@code /api/hooks} endpoints: sessions that run in terminals outside Ash. */
public final class HooksClient {
    private final RestClient rest;

    HooksClient(RestClient rest) {
        this.rest = rest;
    }

    /** Lists terminal sessions, most recent first. */
    public List<HookApi.TerminalSession> sessions() {
        return rest.get(sessionsTarget(), HookApi.Sessions.class).sessions();
    }

    /**
     * Returns the hook events of a terminal session after sequence number {@code after} (0 for
     * all).
     */
    public List<SessionApi.Event> events(String id, long after) {
        var target = sessionsTarget().segment(id).segment("events").query("after", after);
        return rest.get(target, SessionApi.Events.class).events();
    }

    private static ApiPath sessionsTarget() {
        return ApiPath.of("/api/hooks/sessions");
    }
}
