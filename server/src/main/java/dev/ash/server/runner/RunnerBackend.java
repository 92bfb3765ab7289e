package dev.ash.server.runner;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.Sandbox;
import dev.ash.sandbox.SandboxSpec;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/** A place that hosts sandboxes. */
interface RunnerBackend extends AutoCloseable {
    Sandbox open(TenantId tenant, SandboxSpec spec);

    Optional<Sandbox> find(SandboxId id);

    void busy(SandboxId id);

    void idle(SandboxId id);

    void end(SandboxId id);

    void discard(SandboxId id);

    Path workspace(SandboxId id);

    Path logs(SandboxId id);

    OptionalInt owner(SandboxId id);

    HealthResponse.Pool stats();

    Isolation isolation();

    @Override
    void close();
}
