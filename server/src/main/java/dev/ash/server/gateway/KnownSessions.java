package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.server.hooks.HookSession;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.session.SessionDoor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sessions as devices see them: those of Ash, and those that run in somebody's terminal. */
final class KnownSessions {
    private static final int MOST_TERMINALS = 100;

    private final SessionDoor sessions;
    private final SessionTitles titles;
    private final Hooks hooks;

    KnownSessions(SessionDoor sessions, SessionTitles titles, Hooks hooks) {
        this.sessions = sessions;
        this.titles = titles;
        this.hooks = hooks;
    }

    /** What a device is told of a session. */
    record Known(
            String id,
            String agent,
            String title,
            @Nullable String directory,
            @Nullable String model,
            String status,
            boolean isTerminal) {

        RawJson shown() {
            return JsonWriter.object()
                    .put("session_id", id)
                    .put("agent", agent)
                    .put("title", title)
                    .put("working_directory", directory)
                    .put("status", status)
                    .put("read_only", isTerminal)
                    .end();
        }
    }

    /** Those that have not ended. */
    List<Known> open(TenantId tenant) {
        var open = new ArrayList<Known>();
        sessions.open(tenant).forEach(session -> open.add(known(session)));
        hooks.list(tenant, MOST_TERMINALS).stream()
                .filter(HookSession::isActive)
                .forEach(session -> open.add(known(session)));
        return open;
    }

    Optional<Known> terminal(TenantId tenant, SessionId id) {
        return hooks.find(tenant, id).map(KnownSessions::known);
    }

    /** The id of the terminal's session that goes by this name, which may be the id as well. */
    Optional<SessionId> named(TenantId tenant, String name) {
        return hooks.named(tenant, name).map(HookSession::id);
    }

    Known known(Session session) {
        return new Known(
                session.id(),
                session.agentName(),
                titles.of(new SessionId(session.id())).orElseGet(() -> usualTitle(session)),
                session.workingDirectory(),
                session.model(),
                session.status().equals("active") ? "active" : "idle",
                false);
    }

    private static String usualTitle(Session session) {
        var folder = Path.of(String.valueOf(session.workingDirectory())).getFileName();
        return folder == null ? session.agentName() : session.agentName() + " in " + folder;
    }

    private static Known known(HookSession session) {
        return new Known(
                session.id().value(),
                "claude-code",
                session.title(),
                session.directory(),
                null,
                session.isActive() ? "active" : "closed",
                true);
    }

    Optional<TenantId> tenant(SessionId id) {
        var ours = sessions.tenant(id);
        return ours.isPresent() ? ours : hooks.tenant(id);
    }

    /** Whether nothing will happen in it any more. */
    boolean isOver(TenantId tenant, SessionId id) {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent() ? !terminal.get().isActive() : sessions.isOver(id);
    }
}
