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
import dev.ash.server.event.EventSubscription;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.engine.AgentAvailability;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.OpenTurns;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionSetup;
import dev.ash.server.session.store.SessionStore;
import dev.ash.server.session.turn.TurnStatements;
import dev.ash.server.session.turn.Turns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What other doors than REST do with sessions; the same rules hold behind each. */
public final class SessionService {
    private static final int MAX_LISTED = 1000;

    private final Sessions sessions;
    private final Turns turns;
    private final SessionStore store;
    private final Agents agents;
    private final Engines engines;
    private final RunnerCoordinator runners;
    private final AgentAvailability availability;

    public SessionService(
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
    public List<String> agentNames(TenantId tenant) {
        return availability.names(tenant);
    }

    /** Whose session it is; empty if there is none. */
    public Optional<TenantId> tenantOf(SessionId id) {
        return store.find(id).map(SessionRow::tenant);
    }

    /** Whether somebody must resume it before it goes on. */
    public boolean hasFailed(SessionId id) {
        return store.find(id).filter(row -> row.status() == SessionStatus.ERROR).isPresent();
    }

    public boolean isBusy(SessionId id) {
        return !turns.isIdle(id);
    }

    /** Whether nothing will happen in it any more. */
    public boolean hasEnded(SessionId id) {
        return store.find(id).filter(row -> row.status() != SessionStatus.ENDED).isEmpty();
    }

    /** Those that have not ended, the newest first. */
    public List<Session> listOpen(TenantId tenant) {
        var all =
                new SessionStore.Filter(tenant, Optional.empty(), Optional.empty(), MAX_LISTED, 0);
        return store.list(all, SessionRow::toApi).stream()
                .filter(session -> !session.status().equals(SessionStatus.ENDED.wire()))
                .toList();
    }

    public Session find(TenantId tenant, SessionId id) {
        return sessions.find(tenant, id).toApi();
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
        var named = withEngineAgent(tenant, request);
        availability.requireRunnable(tenant, named.agent(), sessions.check(tenant, named));
        return sessions.start(sessions.register(tenant, named, key)).toApi();
    }

    /**
     * The same for a peer of a pair: asked again with the same key, it is the same session.
     *
     * @param usd what it may spend, as far as anybody knows what its models cost
     * @param readOnly whether it can only read where it works
     */
    public Session startPeer(
            TenantId tenant,
            SessionApi.CreateSession request,
            @Nullable Double usd,
            String key,
            boolean readOnly) {
        var named = withEngineAgent(tenant, request);
        if (SessionSetup.hasPrices(sessions.check(tenant, named))) {
            named = named.toBuilder().maxBudgetUsd(usd).build();
        }
        var known = IdempotencyKey.ofPair(key, "seat", new byte[0]);
        return sessions.start(sessions.register(tenant, named, Optional.of(known), readOnly))
                .toApi();
    }

    /** Refuses what no session could be opened with. */
    public void check(TenantId tenant, SessionApi.CreateSession request) {
        sessions.check(tenant, withEngineAgent(tenant, request));
    }

    /**
     * What it may spend from now on, all that it used included, in dollars as far as anybody knows
     * what its models cost; null leaves a limit as it is.
     */
    public void setBudget(
            TenantId tenant, SessionId id, @Nullable Double usd, @Nullable Long tokens) {
        var row = sessions.find(tenant, id);
        if ((usd != null || tokens != null) && row.status() != SessionStatus.ENDED) {
            var known = SessionSetup.hasPrices(row.engine()) ? usd : null;
            sessions.configure(tenant, id, SessionApi.UpdateConfig.budget(known, tokens));
        }
    }

    private SessionApi.CreateSession withEngineAgent(
            TenantId tenant, SessionApi.CreateSession request) {
        if (!engines.available().contains(request.agent())) {
            return request;
        }
        agents.ensure(tenant, new AgentName(request.agent()));
        return request.engine() == null
                ? request.toBuilder().engine(request.agent()).build()
                : request;
    }

    /** A turn whose end somebody waits for; the subscription misses nothing of it. */
    public record StartedTurn(TurnId turn, EventSubscription events) implements AutoCloseable {
        @Override
        public void close() {
            events.close();
        }
    }

    /** Begins or queues a turn; asked again with the same key, it is the same turn. */
    public StartedTurn startTurn(TenantId tenant, SessionId id, String prompt, String key) {
        var content = RawJson.string(prompt);
        var known = IdempotencyKey.ofPair(key, "prompt " + id.value(), content.toBytes());
        var message = SessionApi.SendMessage.of(content, true).queued();
        var turn = turns.open(tenant, id, message, Optional.of(known));
        return new StartedTurn(turn.id(), turn.events());
    }

    /** Runs a command in its sandbox, for as long as it may take. */
    public ExecResult exec(TenantId tenant, SessionId id, String command, Duration limit) {
        return turns.exec(tenant, id, command, limit);
    }

    /** Where its workspace lies on this host, and whose it is. */
    public HostDirectory workspace(TenantId tenant, SessionId id) {
        var sandbox = sessions.find(tenant, id).sandbox();
        return new HostDirectory(
                runners.workspace(sandbox), HostUser.dedicated(runners.ownerUid(sandbox)));
    }

    /** A folder of this host, and the user whose it is; absent for the server's own. */
    public record HostDirectory(Path path, Optional<HostUser> owner) {}

    public Session resume(TenantId tenant, SessionId id) {
        return sessions.resume(tenant, id).toApi();
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
    public void setPermissionMode(TenantId tenant, SessionId id, String mode) {
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
    public void sendPrompt(TenantId tenant, SessionId id, RawJson content, TurnStatements note) {
        var message = SessionApi.SendMessage.of(content, true).queued();
        // Subscribers of the session follow the turn.
        turns.open(tenant, id, message, Optional.empty(), OpenTurns.MAX_QUEUED_BY_DEVICES, note)
                .close();
    }
}
