package dev.ash.server.session.live;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.session.store.SessionRow;
import java.io.IOException;

/** The ways out of sandboxes. */
public interface Egress {
    Egress NONE =
            new Egress() {
                @Override
                public void requireUsableCredential(
                        TenantId tenant, IsolationPolicy wall, String engine) {}

                @Override
                public void open(SessionRow session, SandboxId sandbox) {}

                @Override
                public EngineConfig restrictTools(SessionRow session, EngineConfig config) {
                    return config;
                }

                @Override
                public void updateBudget(SandboxId sandbox, IsolationPolicy wall) {}

                @Override
                public void close(SandboxId sandbox) {}
            };

    /** Refuses a session that names a credential it cannot use. */
    void requireUsableCredential(TenantId tenant, IsolationPolicy wall, String engine);

    /** From now on the sandbox reaches what its session may. */
    public void open(SessionRow session, SandboxId sandbox) throws IOException;

    /** The configuration without tools that the proxy would reject. */
    EngineConfig restrictTools(SessionRow session, EngineConfig config);

    /** What its session may spend has changed. */
    void updateBudget(SandboxId sandbox, IsolationPolicy wall);

    void close(SandboxId sandbox);
}
