package dev.ash.server.session.store;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.rest.SessionUsage;
import dev.ash.sandbox.AgentVersion;
import dev.ash.server.isolation.IsolationPolicy;

/** Rows of sessions for tests. */
final class SessionRows {
    /** A session that is about to be started, with nothing that is optional. */
    static SessionRow starting(TenantId tenant, SessionId id) {
        return starting(tenant, id, "agent", 0);
    }

    static SessionRow starting(TenantId tenant, SessionId id, String agent, long createdAt) {
        return new SessionRow(
                id,
                tenant,
                new AgentVersion("id-of-" + agent, new AgentName(agent), 1),
                new SessionSetup(
                        new EngineName("demo"), "ask", EngineConfig.NONE, IsolationPolicy.DEFAULT),
                SandboxId.random(),
                SessionRow.Standing.STARTING,
                null,
                null,
                new SessionRow.Times(createdAt, createdAt),
                SessionUsage.NONE,
                null);
    }

    private SessionRows() {}
}
