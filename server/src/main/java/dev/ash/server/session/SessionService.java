package dev.ash.server.session;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.engine.EngineCapability;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.server.agent.Agents;
import dev.ash.server.event.EventSubscription;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.engine.AgentAvailability;
import dev.ash.server.session.engine.AgentAvailability.AvailableAgent;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.OpenTurns;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionStore;
import dev.ash.server.session.turn.TurnStatements;
import dev.ash.server.session.turn.Turns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Session operations for features other than the REST API, such as the gateway and pairs. */
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

    /** Returns the names that a session can be started with: engines, and agents of the tenant. */
    public List<String> agentNames(TenantId tenant) {
        return availability.names(tenant);
    }

    /** Returns what sessions with these names can do. */
    public List<AvailableAgent> describeAgents(TenantId tenant) {
        return availability.describe(tenant);
    }

    /** Returns whether sessions with this name can ask before they run a tool. */
    public boolean canAsk(TenantId tenant, String agent) {
        return availability
                .engine(tenant, agent)
                .map(engine -> engine.can(EngineCapability.APPROVALS))
                .orElse(true); // starting it fails for another reason
    }

    public EngineTable engineTable() {
        return engines.table();
    }

    /** Returns the tenant of a session; empty if there is no such session. */
    public Optional<TenantId> tenantOf(SessionId id) {
        return store.find(id).map(SessionRow::tenant);
    }

    /** Whether the session has the status {@code error}. */
    public boolean hasFailed(SessionId id) {
        return store.find(id).filter(row -> row.status() == SessionStatus.ERROR).isPresent();
    }

    public boolean isBusy(SessionId id) {
        return !turns.isIdle(id);
    }

    /** Whether the session has ended or was removed. */
    public boolean hasEnded(SessionId id) {
        return store.find(id).filter(row -> row.status() != SessionStatus.ENDED).isEmpty();
    }

    /** Lists sessions that have not ended, newest first. */
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

    /** Starts a session. An engine's name is also that of an agent, without files by default. */
    public Session start(TenantId tenant, SessionApi.CreateSession request) {
        return start(tenant, request, Optional.empty());
    }

    /** Starts a session; a repeated request with the same key returns the same session. */
    public Session start(TenantId tenant, SessionApi.CreateSession request, String key) {
        var idempotencyKey = IdempotencyKey.ofDevice(key, "start", new byte[0]);
        return start(tenant, request, Optional.of(idempotencyKey));
    }

    private Session start(
            TenantId tenant, SessionApi.CreateSession request, Optional<IdempotencyKey> key) {
        availability.requireKnown(tenant, request.agent());
        var resolved = withEngineAgent(tenant, request);
        availability.requireRunnable(tenant, resolved.agent(), sessions.check(tenant, resolved));
        return sessions.start(sessions.register(tenant, resolved, key)).toApi();
    }

    /**
     * Starts the session of a pair's peer; a repeated request with the same key returns the same
     * session.
     *
     * @param usd its budget in dollars; null for none
     * @param readOnly whether its working directory is read-only
     */
    public Session startPeer(
            TenantId tenant,
            SessionApi.CreateSession request,
            @Nullable Double usd,
            String key,
            boolean readOnly) {
        var resolved = withEngineAgent(tenant, request).toBuilder().maxBudgetUsd(usd).build();
        var idempotencyKey = IdempotencyKey.ofPair(key, "seat", new byte[0]);
        return sessions.start(
                        sessions.register(tenant, resolved, Optional.of(idempotencyKey), readOnly))
                .toApi();
    }

    /** Throws if a session cannot be started with this request. */
    public void check(TenantId tenant, SessionApi.CreateSession request) {
        sessions.check(tenant, withEngineAgent(tenant, request));
    }

    /**
     * Sets the total budget of a session, including what it has already used. Null leaves a limit
     * unchanged.
     */
    public void setBudget(
            TenantId tenant, SessionId id, @Nullable Double usd, @Nullable Long tokens) {
        var row = sessions.find(tenant, id);
        if ((usd != null || tokens != null) && row.status() != SessionStatus.ENDED) {
            sessions.configure(tenant, id, SessionApi.UpdateConfig.budget(usd, tokens));
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

    /** A turn with a subscription that receives all of its events. */
    public record StartedTurn(TurnId turn, EventSubscription events) implements AutoCloseable {
        @Override
        public void close() {
            events.close();
        }
    }

    /** Starts or queues a turn; a repeated request with the same key returns the same turn. */
    public StartedTurn startTurn(TenantId tenant, SessionId id, String prompt, String key) {
        var content = RawJson.string(prompt);
        var idempotencyKey = IdempotencyKey.ofPair(key, "prompt " + id.value(), content.toBytes());
        var message = SessionApi.SendMessage.of(content, true).queued();
        var turn = turns.open(tenant, id, message, Optional.of(idempotencyKey));
        return new StartedTurn(turn.id(), turn.events());
    }

    /** Runs a command in the sandbox, with a time limit. */
    public ExecResult exec(TenantId tenant, SessionId id, String command, Duration limit) {
        return turns.exec(tenant, id, command, limit);
    }

    /** Returns the directory of the workspace on this host, and its owner. */
    public HostDirectory workspace(TenantId tenant, SessionId id) {
        var sandbox = sessions.find(tenant, id).sandbox();
        return new HostDirectory(
                runners.workspace(sandbox), HostUser.dedicated(runners.ownerUid(sandbox)));
    }

    /** A directory of this host and its owner; empty for the server's own user. */
    public record HostDirectory(Path path, Optional<HostUser> owner) {}

    public Session resume(TenantId tenant, SessionId id) {
        return sessions.resume(tenant, id).toApi();
    }

    public void end(TenantId tenant, SessionId id) {
        sessions.end(tenant, id, "ended");
    }

    /** Ends a session with a reason for the log. */
    public void end(TenantId tenant, SessionId id, String reason) {
        sessions.end(tenant, id, "ended", reason);
    }

    /** Ends a session whose task is complete. */
    public void complete(TenantId tenant, SessionId id) {
        sessions.end(tenant, id, "completed");
    }

    /** Sets the permission mode; applies from the next turn on. */
    public void setPermissionMode(TenantId tenant, SessionId id, String mode) {
        sessions.configure(tenant, id, SessionApi.UpdateConfig.permissionMode(mode));
    }

    public boolean interrupt(TenantId tenant, SessionId id) {
        return turns.interrupt(tenant, id);
    }

    /**
     * Starts a turn, or queues it behind the running one.
     *
     * @param statements are committed together with the prompt
     */
    public void sendPrompt(
            TenantId tenant, SessionId id, RawJson content, TurnStatements statements) {
        var message = SessionApi.SendMessage.of(content, true).queued();
        // Subscribers of the session follow the turn.
        turns.open(
                        tenant,
                        id,
                        message,
                        Optional.empty(),
                        OpenTurns.MAX_QUEUED_BY_DEVICES,
                        statements)
                .close();
    }
}
