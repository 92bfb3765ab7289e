package dev.ash.server.session.store;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.protocol.rest.SessionUsage;
import dev.ash.sandbox.AgentVersion;
import dev.ash.server.isolation.IsolationPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Session rows for tests. */
final class SessionRows {
    /** Text with characters of one to four bytes and with special characters of SQL. */
    private static final String TEXT = "aé€🦊 'quoted' \"%_\\ \n?:x";

    static final EngineConfig CONFIG =
            new EngineConfig(
                    "demo",
                    TEXT,
                    TEXT,
                    "append",
                    "ask",
                    RawJson.of("{\"text\":\"🦊\"}"),
                    RawJson.of("{\"agent\":{}}"),
                    TEXT,
                    List.of("Read", TEXT),
                    List.of("Bash"),
                    List.of("beta"),
                    Map.of("NAME", TEXT, "EMPTY", ""),
                    TEXT);

    static final IsolationPolicy POLICY =
            new IsolationPolicy(
                    new ResourceLimits(1, 2, 3, null),
                    List.of("example.com"),
                    true,
                    "credential",
                    1.25,
                    Long.MAX_VALUE,
                    true,
                    List.of("web_search"));

    static final Isolation ISOLATION =
            new Isolation("bubblewrap", "closed", TEXT, List.of("memory", "pids"), "watch");

    /** Returns a starting session without optional values. */
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
                SessionRow.StatusDetails.STARTING,
                null,
                null,
                new SessionRow.Times(createdAt, createdAt),
                SessionUsage.NONE,
                null);
    }

    /** Returns a starting session with all optional values. */
    static SessionRow full(TenantId tenant, SessionId id, long createdAt) {
        return new SessionRow(
                id,
                tenant,
                new AgentVersion(TEXT, new AgentName("agent"), Integer.MAX_VALUE),
                new SessionSetup(new EngineName("demo"), "ask", CONFIG, POLICY),
                SandboxId.random(),
                SessionRow.StatusDetails.STARTING,
                SessionId.random(),
                null,
                new SessionRow.Times(createdAt, createdAt),
                SessionUsage.NONE,
                Path.of("/home/" + TEXT));
    }

    private SessionRows() {}
}
