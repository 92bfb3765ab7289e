package dev.ash.server.session.lifecycle;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.agent.Agents;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.IdempotencyKeyStore;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.SessionSetup;
import dev.ash.server.store.KillPoint;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** Stores new sessions before their sandbox is started, so that a failed start is recorded. */
public final class SessionRegistrar {
    private final SessionCore core;
    private final Agents agents;
    private final Engines engines;
    private final IsolationRules rules;
    private final IdempotencyKeyStore keys;
    private final Clock clock;

    public SessionRegistrar(
            SessionCore core,
            Agents agents,
            Engines engines,
            IsolationRules rules,
            IdempotencyKeyStore keys,
            Clock clock) {
        this.core = core;
        this.agents = agents;
        this.engines = engines;
        this.rules = rules;
        this.keys = keys;
        this.clock = clock;
    }

    /** A retry with the same key returns the same session. */
    SessionRow register(
            TenantId tenant,
            SessionApi.CreateSession request,
            Optional<IdempotencyKey> key,
            boolean readOnly) {
        var result = key.flatMap(present -> keys.find(tenant, present));
        if (result.isPresent()) {
            return find(tenant, result.get());
        }
        try {
            return insert(tenant, request, key, readOnly);
        } catch (ApiException e) {
            return key.filter(_ -> e.code() == ErrorCode.SESSION_BUSY)
                    .flatMap(present -> keys.find(tenant, present))
                    .map(first -> find(tenant, first))
                    .orElseThrow(() -> e);
        }
    }

    /** Returns the engine of such a session; throws if it cannot be registered. */
    String check(TenantId tenant, SessionApi.CreateSession request) {
        var agent = agents.find(tenant, new AgentName(request.agent()));
        return checkedSetup(tenant, request, agent).engine().value();
    }

    private SessionSetup checkedSetup(
            TenantId tenant, SessionApi.CreateSession request, DeployedAgent agent) {
        var setup = SessionSetup.of(request, agent, engines, rules);
        core.egress().requireUsableCredential(tenant, setup.policy(), setup.engine().value());
        return setup;
    }

    private SessionRow insert(
            TenantId tenant,
            SessionApi.CreateSession request,
            Optional<IdempotencyKey> key,
            boolean readOnly) {
        core.runners().requireDiskSpace();
        core.quotas().checkSession(tenant);
        var agent = agents.find(tenant, new AgentName(request.agent()));
        var setup = checkedSetup(tenant, request, agent).withReadOnly(readOnly);
        var directory = request.workingDirectory();
        var project = directory == null ? null : core.projects().admit(tenant, directory).path();
        var row = SessionRow.starting(tenant, agent, setup, project, clock.millis());
        var created =
                NewEvent.lifecycle(
                        row.id(),
                        "created",
                        JsonWriter.object()
                                .put("agentName", agent.name().value())
                                .put("model", setup.config().model()));
        core.events()
                .append(
                        row.id(),
                        List.of(created),
                        (transaction, now) -> {
                            core.quotas().requireSession(transaction, tenant);
                            core.sessions().insert(transaction, row);
                            key.ifPresent(
                                    k -> keys.insert(transaction, tenant, k, row.id(), null, now));
                        });
        KillPoint.SESSION_REGISTERED.reached();
        return row;
    }

    private SessionRow find(TenantId tenant, IdempotencyKeyStore.StoredResult result) {
        return core.sessions()
                .find(tenant, result.session())
                .orElseThrow(() -> Sessions.notFound(result.session()));
    }
}
