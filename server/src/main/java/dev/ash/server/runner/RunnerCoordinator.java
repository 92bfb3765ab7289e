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

/**
 * The only way from sessions to sandboxes. Standalone, it stands before one {@link
 * LocalRunnerBackend}; the machines of a cluster will stand behind it the same way.
 */
public final class RunnerCoordinator implements AutoCloseable {
    private final RunnerBackend local;

    public RunnerCoordinator(LocalRunnerBackend local) {
        this.local = local;
    }

    public Sandbox open(TenantId tenant, SandboxSpec spec) {
        return local.open(tenant, spec);
    }

    public Optional<Sandbox> find(SandboxId id) {
        return local.find(id);
    }

    /** Notes that a turn runs in the sandbox. */
    public void busy(SandboxId id) {
        local.busy(id);
    }

    /** Notes that no turn runs in the sandbox. */
    public void idle(SandboxId id) {
        local.idle(id);
    }

    /** Ends the processes; the files stay. */
    public void end(SandboxId id) {
        local.end(id);
    }

    /** Ends the processes and removes the files. */
    public void discard(SandboxId id) {
        local.discard(id);
    }

    public Path workspace(SandboxId id) {
        return local.workspace(id);
    }

    public Path logs(SandboxId id) {
        return local.logs(id);
    }

    /** The uid that files of this sandbox belong to, where it has one of its own. */
    public OptionalInt owner(SandboxId id) {
        return local.owner(id);
    }

    public HealthResponse.Pool stats() {
        return local.stats();
    }

    public Isolation isolation() {
        return local.isolation();
    }

    public int remoteRunners() {
        return 0;
    }

    @Override
    public void close() {
        local.close();
    }
}
