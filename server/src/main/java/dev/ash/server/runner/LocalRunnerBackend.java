package dev.ash.server.runner;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.ConfinedCommands;
import dev.ash.sandbox.Evictor;
import dev.ash.sandbox.HostPaths;
import dev.ash.sandbox.Network;
import dev.ash.sandbox.PoolStats;
import dev.ash.sandbox.Sandbox;
import dev.ash.sandbox.SandboxConfig;
import dev.ash.sandbox.SandboxManager;
import dev.ash.sandbox.SandboxPool;
import dev.ash.sandbox.SandboxSpec;
import dev.ash.sandbox.SandboxStore;
import dev.ash.sandbox.WarmKey;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToIntFunction;

/** Runs sandboxes on the server's own machine. */
public final class LocalRunnerBackend implements RunnerBackend {
    private final SandboxManager manager;
    private final SandboxPool pool;

    public LocalRunnerBackend(SandboxManager manager, SandboxPool pool) {
        this.manager = manager;
        this.pool = pool;
    }

    /** Opens the sandbox manager and its pool; closes the manager if the pool cannot be opened. */
    public static LocalRunnerBackend open(
            SandboxConfig config,
            HostPaths paths,
            ToIntFunction<TenantId> tenantLimits,
            SandboxStore store) {
        var manager = SandboxManager.open(config, paths);
        try {
            var pool = new SandboxPool(manager, config.maxSandboxes(), tenantLimits, store);
            return new LocalRunnerBackend(manager, pool);
        } catch (RuntimeException e) {
            manager.close();
            throw e;
        }
    }

    /** Returns the runner of confined commands, which need no session. */
    public ConfinedCommands commands() {
        return manager.commands();
    }

    @Override
    public void requireDiskSpace() {
        manager.requireDiskSpace();
    }

    @Override
    public Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor) {
        return pool.open(tenant, spec, evictor);
    }

    @Override
    public Optional<Sandbox> claim(WarmKey key) {
        return pool.claim(key);
    }

    @Override
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        return pool.adopt(tenant, id, nonce);
    }

    @Override
    public void terminateLeftovers() {
        pool.killLeftovers();
    }

    @Override
    public void keepWarm(WarmKey key, Map<String, String> ashEnvironment, int count) {
        pool.keepWarm(key, ashEnvironment, count);
    }

    @Override
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {
        pool.dropWarm(tenant, agent, exceptVersion);
    }

    @Override
    public Optional<Sandbox> find(SandboxId id) {
        return pool.find(id);
    }

    @Override
    public void markBusy(SandboxId id) {
        pool.markRunning(id);
    }

    @Override
    public void markIdle(SandboxId id) {
        pool.markWaiting(id);
    }

    @Override
    public void terminate(SandboxId id) {
        pool.terminate(id);
    }

    @Override
    public void discard(SandboxId id) {
        pool.discard(id);
    }

    @Override
    public void copy(SandboxId from, SandboxId to) {
        pool.copy(from, to);
    }

    @Override
    public Path workspace(SandboxId id) {
        return manager.workspace(id);
    }

    @Override
    public Path logDirectory(SandboxId id) {
        return manager.logs(id);
    }

    @Override
    public OptionalInt ownerUid(SandboxId id) {
        return manager.owner(id);
    }

    @Override
    public PoolStats stats() {
        return pool.stats();
    }

    @Override
    public Isolation isolation(Network network) {
        return manager.isolation(network);
    }

    @Override
    public int orphanCount() {
        return manager.orphans();
    }

    @Override
    public Path egressDirectory(SandboxId id) {
        return manager.egress(id);
    }

    @Override
    public void close() {
        pool.close();
        manager.close();
    }
}
