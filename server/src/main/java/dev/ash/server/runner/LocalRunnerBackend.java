package dev.ash.server.runner;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.Sandbox;
import dev.ash.sandbox.SandboxManager;
import dev.ash.sandbox.SandboxPool;
import dev.ash.sandbox.SandboxSpec;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/** Sandboxes on the server's own machine. */
public final class LocalRunnerBackend implements RunnerBackend {
    private final SandboxManager manager;
    private final SandboxPool pool;

    public LocalRunnerBackend(SandboxManager manager, SandboxPool pool) {
        this.manager = manager;
        this.pool = pool;
    }

    @Override
    public Sandbox open(TenantId tenant, SandboxSpec spec) {
        return pool.open(tenant, spec);
    }

    @Override
    public Optional<Sandbox> find(SandboxId id) {
        return pool.find(id);
    }

    @Override
    public void busy(SandboxId id) {
        pool.running(id);
    }

    @Override
    public void idle(SandboxId id) {
        pool.waiting(id);
    }

    @Override
    public void end(SandboxId id) {
        pool.end(id);
    }

    @Override
    public void discard(SandboxId id) {
        pool.discard(id);
    }

    @Override
    public Path workspace(SandboxId id) {
        return manager.workspace(id);
    }

    @Override
    public Path logs(SandboxId id) {
        return manager.logs(id);
    }

    @Override
    public OptionalInt owner(SandboxId id) {
        return manager.owner(id);
    }

    @Override
    public HealthResponse.Pool stats() {
        return pool.stats();
    }

    @Override
    public Isolation isolation() {
        return manager.isolation();
    }

    @Override
    public void close() {
        pool.close();
        manager.close();
    }
}
