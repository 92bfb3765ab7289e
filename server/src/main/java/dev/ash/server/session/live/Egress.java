package dev.ash.server.session.live;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.session.store.SessionRow;
import java.io.IOException;

/** Controls the network access of sandboxes. */
public interface Egress {
    Egress NONE =
            new Egress() {
                @Override
                public void requireUsableCredential(
                        TenantId tenant, IsolationPolicy policy, String engine) {}

                @Override
                public void open(SessionRow session, SandboxId sandbox) {}

                @Override
                public EngineConfig restrictTools(SessionRow session, EngineConfig config) {
                    return config;
                }

                @Override
                public void updateBudget(SandboxId sandbox, IsolationPolicy policy) {}

                @Override
                public void close(SandboxId sandbox) {}
            };

    /** Throws if a session with this policy names a credential that it cannot use. */
    void requireUsableCredential(TenantId tenant, IsolationPolicy policy, String engine);

    /** Opens the proxy of the sandbox, with the policy of its session. */
    public void open(SessionRow session, SandboxId sandbox) throws IOException;

    /** Returns the configuration without tools that the proxy would reject. */
    EngineConfig restrictTools(SessionRow session, EngineConfig config);

    /** Applies the changed budget of the policy to the sandbox. */
    void updateBudget(SandboxId sandbox, IsolationPolicy policy);

    void close(SandboxId sandbox);
}
