package dev.ash.server.session;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.agent.Agents;
import dev.ash.server.event.Watcher;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.engine.AgentAvailability;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.OpenTurns;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionSetup;
import dev.ash.server.session.store.SessionStore;
import dev.ash.server.session.turn.TurnNote;
import dev.ash.server.session.turn.Turns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What other doors than REST do with sessions; the same rules hold behind each. */
public final class SessionDoor {
    private static final int MOST = 1000;

    private final Sessions sessions;
    private final Turns turns;
    private final SessionStore store;
    private final Agents agents;
    private final Engines engines;
    private final RunnerCoordinator runners;
    private final AgentAvailability availability;

    public SessionDoor(
            Sessions sessions,
            Turns turns,
            SessionStore store,
            Agents agents,
            Engines engines,
            RunnerCoordinator runners) {
        this.sessions = sessions;
        this.turns = turns;
        this.store = store;
        this.agents = agents;
        this.engines = engines;
        this.runners = runners;
        this.availability = new AgentAvailability(agents, engines);
    }

    /** Names that a session can be started with: engines, and agents of the tenant. */
    public List<String> names(TenantId tenant) {
        return availability.names(tenant);
    }

    /** Whose session it is; empty if there is none. */
    public Optional<TenantId> tenant(SessionId id) {
        return store.find(id).map(SessionRow::tenant);
    }

    /** Whether somebody must resume it before it goes on. */
    public boolean isBroken(SessionId id) {
        return store.find(id).filter(row -> row.status() == SessionStatus.ERROR).isPresent();
    }

    public boolean isInTurn(SessionId id) {
        return !turns.isIdle(id);
    }

    /** Whether nothing will happen in it any more. */
    public boolean isOver(SessionId id) {
        return store.find(id).filter(row -> row.status() != SessionStatus.ENDED).isEmpty();
    }

    /** Those that have not ended, the newest first. */
    public List<Session> open(TenantId tenant) {
        var all = new SessionStore.Filter(tenant, Optional.empty(), Optional.empty(), MOST, 0);
        return store.list(all, SessionRow::shown).stream()
                .filter(session -> !session.status().equals(SessionStatus.ENDED.wire()))
                .toList();
    }

    public Session find(TenantId tenant, SessionId id) {
        return sessions.find(tenant, id).shown();
    }

    /** The name of an engine is that of an agent with nothing to say, unless one was deployed. */
    public Session start(TenantId tenant, SessionApi.CreateSession request) {
        return start(tenant, request, Optional.empty());
    }

    /** The same, requested with a key: requested again with that key, it is the same session. */
    public Session start(TenantId tenant, SessionApi.CreateSession request, String key) {
        var known = IdempotencyKey.ofDevice(key, "start", new byte[0]);
        return start(tenant, request, Optional.of(known));
    }

    private Session start(
            TenantId tenant, SessionApi.CreateSession request, Optional<IdempotencyKey> key) {
        availability.requireKnown(tenant, request.agent());
        var named = onNamed(tenant, request);
        availability.requireRunnable(tenant, named.agent(), sessions.check(tenant, named));
        return sessions.start(sessions.register(tenant, named, key)).shown();
    }

    /**
     * The same for a peer of a pair: asked again with the same key, it is the same session.
     *
     * @param usd what it may spend, as far as anybody knows what its models cost
     * @param readOnly whether it can only read where it works
     */
    public Session seat(
            TenantId tenant,
            SessionApi.CreateSession request,
            @Nullable Double usd,
            String key,
            boolean readOnly) {
        var named = onNamed(tenant, request);
        if (SessionSetup.hasPrices(sessions.check(tenant, named))) {
            named = named.toBuilder().maxBudgetUsd(usd).build();
        }
        var known = IdempotencyKey.ofPair(key, "seat", new byte[0]);
        return sessions.start(sessions.register(tenant, named, Optional.of(known), readOnly))
                .shown();
    }

    /** Refuses what no session could be opened with. */
    public void check(TenantId tenant, SessionApi.CreateSession request) {
        sessions.check(tenant, onNamed(tenant, request));
    }

    /**
     * What it may spend from now on, all that it used included, in dollars as far as anybody knows
     * what its models cost; null leaves a limit as it is.
     */
    public void budget(TenantId tenant, SessionId id, @Nullable Double usd, @Nullable Long tokens) {
        var row = sessions.find(tenant, id);
        if ((usd != null || tokens != null) && row.status() != SessionStatus.ENDED) {
            var known = SessionSetup.hasPrices(row.engine()) ? usd : null;
            sessions.configure(tenant, id, SessionApi.UpdateConfig.budget(known, tokens));
        }
    }

    private SessionApi.CreateSession onNamed(TenantId tenant, SessionApi.CreateSession request) {
        if (!engines.available().contains(request.agent())) {
            return request;
        }
        agents.ensure(tenant, new AgentName(request.agent()));
        return request.engine() == null
                ? request.toBuilder().engine(request.agent()).build()
                : request;
    }

    /** A turn whose end somebody waits for; the watcher misses nothing of it. */
    public record Asked(TurnId turn, Watcher watcher) implements AutoCloseable {
        @Override
        public void close() {
            watcher.close();
        }
    }

    /** Begins or queues a turn; asked again with the same key, it is the same turn. */
    public Asked ask(TenantId tenant, SessionId id, String prompt, String key) {
        var content = RawJson.string(prompt);
        var known = IdempotencyKey.ofPair(key, "prompt " + id.value(), content.toBytes());
        var message = SessionApi.SendMessage.of(content, true).queued();
        var turn = turns.open(tenant, id, message, Optional.of(known));
        return new Asked(turn.id(), turn.watcher());
    }

    /** Runs a command in its sandbox, for as long as it may take. */
    public ExecResult exec(TenantId tenant, SessionId id, String command, Duration limit) {
        return turns.exec(tenant, id, command, limit);
    }

    /** Where its workspace lies on this host, and whose it is. */
    public HostFolder workspace(TenantId tenant, SessionId id) {
        var sandbox = sessions.find(tenant, id).sandbox();
        return new HostFolder(
                runners.workspace(sandbox), HostUser.ofItsOwn(runners.owner(sandbox)));
    }

    /** A folder of this host, and the user whose it is; absent for the server's own. */
    public record HostFolder(Path path, Optional<HostUser> owner) {}

    public Session resume(TenantId tenant, SessionId id) {
        return sessions.resume(tenant, id).shown();
    }

    public void end(TenantId tenant, SessionId id) {
        sessions.end(tenant, id, "ended");
    }

    /** The same for a client that gives a reason, which the log has beside the action. */
    public void end(TenantId tenant, SessionId id, String reason) {
        sessions.end(tenant, id, "ended", reason);
    }

    /** The same for one that is no longer needed, as what it was for is done. */
    public void complete(TenantId tenant, SessionId id) {
        sessions.end(tenant, id, "completed");
    }

    /** Whether the engine asks, from the next turn on. */
    public void permissionMode(TenantId tenant, SessionId id, String mode) {
        sessions.configure(tenant, id, SessionApi.UpdateConfig.permissionMode(mode));
    }

    public boolean interrupt(TenantId tenant, SessionId id) {
        return turns.interrupt(tenant, id);
    }

    /**
     * Begins a turn, or queues it behind the one that runs.
     *
     * @param note what is committed together with the prompt
     */
    public void prompt(TenantId tenant, SessionId id, RawJson content, TurnNote note) {
        var message = SessionApi.SendMessage.of(content, true).queued();
        // Subscribers of the session follow the turn.
        turns.open(tenant, id, message, Optional.empty(), OpenTurns.MAX_QUEUED_BY_DEVICES, note)
                .close();
    }
}
