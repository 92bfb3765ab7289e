package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What other doors than REST do with sessions; the same rules hold behind each. */
public final class SessionDoor {
    private static final int MOST = 1000;

    private final Sessions sessions;
    private final Turns turns;
    private final SessionStore store;

    public SessionDoor(Sessions sessions, Turns turns, SessionStore store) {
        this.sessions = sessions;
        this.turns = turns;
        this.store = store;
    }

    /** Those that have not ended, the newest first. */
    public List<Session> open(TenantId tenant) {
        return store
                .list(new SessionStore.Filter(tenant, Optional.empty(), Optional.empty(), MOST, 0))
                .stream()
                .filter(row -> row.status() != SessionStatus.ENDED)
                .map(SessionRow::shown)
                .toList();
    }

    public Session find(TenantId tenant, SessionId id) {
        return sessions.find(tenant, id).shown();
    }

    public Session start(TenantId tenant, SessionApi.CreateSession request) {
        return sessions.start(sessions.register(tenant, request, Optional.empty())).shown();
    }

    public Session resume(TenantId tenant, SessionId id) {
        return sessions.resume(tenant, id).shown();
    }

    public void end(TenantId tenant, SessionId id) {
        sessions.end(tenant, id);
    }

    public boolean interrupt(TenantId tenant, SessionId id) {
        return turns.interrupt(tenant, id);
    }

    /**
     * Begins a turn, or queues it behind the one that runs. Said again with the same key it is not
     * begun again.
     */
    public void prompt(TenantId tenant, SessionId id, String text, String key) {
        var known =
                IdempotencyKey.ofDevice(
                        key, "prompt " + id.value(), text.getBytes(StandardCharsets.UTF_8));
        var message = SessionApi.SendMessage.text(text, true).queued();
        var turn = turns.accept(tenant, id, message, Optional.of(known));
        turn.watcher().close(); // whoever follows the session sees it
        turn.run();
    }
}
