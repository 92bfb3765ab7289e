package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.server.hooks.HookSession;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.session.SessionService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sessions as devices see them: those of Ash, and those that run in somebody's terminal. */
final class KnownSessions {
    private static final int MOST_TERMINALS = 100;
    private static final Path WORKSPACE = Path.of("/workspace");

    private final SessionService sessions;
    private final SessionTitles titles;
    private final SessionTitles prompts;
    private final Hooks hooks;

    KnownSessions(
            SessionService sessions, SessionTitles titles, SessionTitles prompts, Hooks hooks) {
        this.sessions = sessions;
        this.titles = titles;
        this.prompts = prompts;
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

        /** The directory that it works in, or its agent if that is a workspace of its own. */
        String project() {
            var path = Path.of(directory == null ? "" : directory);
            var name = path.getFileName();
            boolean isOwn = path.equals(WORKSPACE) || name == null || name.toString().isEmpty();
            return isOwn ? agent : name.toString();
        }

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
        sessions.listOpen(tenant).forEach(session -> open.add(known(session)));
        hooks.list(tenant, MOST_TERMINALS).stream()
                .filter(HookSession::isActive)
                .forEach(session -> open.add(known(session)));
        return open;
    }

    /** A session of Ash, or of a terminal. */
    Known find(TenantId tenant, SessionId id) {
        return terminal(tenant, id).orElseGet(() -> known(sessions.find(tenant, id)));
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
                title(session),
                session.workingDirectory(),
                session.model(),
                session.status().equals("active") ? "active" : "idle",
                false);
    }

    private String title(Session session) {
        var id = new SessionId(session.id());
        return titles.of(id).or(() -> prompts.of(id)).orElseGet(() -> usualTitle(session));
    }

    /** Before the first prompt. */
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
        var ours = sessions.tenantOf(id);
        return ours.isPresent() ? ours : hooks.tenant(id);
    }

    /** Whether nothing will happen in it any more. */
    boolean isOver(TenantId tenant, SessionId id) {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent() ? !terminal.get().isActive() : sessions.hasEnded(id);
    }
}
