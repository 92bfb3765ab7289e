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

/** Finds the sessions that devices can access: sessions of Ash and terminal sessions. */
final class DeviceSessions {
    private static final int MAX_TERMINALS = 100;
    private static final Path WORKSPACE = Path.of("/workspace");

    private final SessionService sessions;
    private final SessionTitles titles;
    private final SessionTitles promptTitles;
    private final Hooks hooks;

    /** {@code promptTitles} are for sessions without a title in {@code titles}. */
    DeviceSessions(
            SessionService sessions,
            SessionTitles titles,
            SessionTitles promptTitles,
            Hooks hooks) {
        this.sessions = sessions;
        this.titles = titles;
        this.promptTitles = promptTitles;
        this.hooks = hooks;
    }

    /** The properties of a session that are sent to devices. */
    record Summary(
            String id,
            String agent,
            String title,
            @Nullable String directory,
            @Nullable String model,
            String status,
            boolean isTerminal) {

        /** Returns the name of its project directory, or its agent if it works in a workspace. */
        String project() {
            var path = Path.of(directory == null ? "" : directory);
            var name = path.getFileName();
            boolean isWorkspace =
                    path.equals(WORKSPACE) || name == null || name.toString().isEmpty();
            return isWorkspace ? agent : name.toString();
        }

        RawJson toJson() {
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

    /** Returns the sessions that have not ended. */
    List<Summary> listOpen(TenantId tenant) {
        var open = new ArrayList<Summary>();
        sessions.listOpen(tenant).forEach(session -> open.add(summarize(session)));
        hooks.list(tenant, MAX_TERMINALS).stream()
                .filter(HookSession::isActive)
                .forEach(session -> open.add(summarize(session)));
        return open;
    }

    Summary find(TenantId tenant, SessionId id) {
        return findTerminal(tenant, id).orElseGet(() -> summarize(sessions.find(tenant, id)));
    }

    Optional<Summary> findTerminal(TenantId tenant, SessionId id) {
        return hooks.find(tenant, id).map(DeviceSessions::summarize);
    }

    /** Returns the id of the terminal session with this name or id. */
    Optional<SessionId> findTerminalId(TenantId tenant, String name) {
        return hooks.findByName(tenant, name).map(HookSession::id);
    }

    Summary summarize(Session session) {
        return new Summary(
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
        return titles.of(id).or(() -> promptTitles.of(id)).orElseGet(() -> defaultTitle(session));
    }

    private static String defaultTitle(Session session) {
        var directory = Path.of(String.valueOf(session.workingDirectory())).getFileName();
        return directory == null ? session.agentName() : session.agentName() + " in " + directory;
    }

    private static Summary summarize(HookSession session) {
        return new Summary(
                session.id().value(),
                "claude-code",
                session.title(),
                session.directory(),
                null,
                session.isActive() ? "active" : "closed",
                true);
    }

    Optional<TenantId> tenant(SessionId id) {
        var tenant = sessions.tenantOf(id);
        return tenant.isPresent() ? tenant : hooks.tenant(id);
    }

    /** Returns whether no more events will be added to the session. */
    boolean hasEnded(TenantId tenant, SessionId id) {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent() ? !terminal.get().isActive() : sessions.hasEnded(id);
    }
}
