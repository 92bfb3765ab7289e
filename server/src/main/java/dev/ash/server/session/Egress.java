package dev.ash.server.session;

import dev.ash.protocol.SandboxId;
import java.io.IOException;

/** The ways out of sandboxes. */
interface Egress {
    Egress NONE =
            new Egress() {
                @Override
                public void open(SessionRow session, SandboxId sandbox) {}

                @Override
                public void close(SandboxId sandbox) {}
            };

    /** From now on the sandbox reaches what its session may. */
    void open(SessionRow session, SandboxId sandbox) throws IOException;

    void close(SandboxId sandbox);
}
