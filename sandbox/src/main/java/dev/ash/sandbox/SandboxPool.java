package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * The sandboxes of a server. Limits how many run: capacity is acquired before a launch and returned
 * when no process of the sandbox is left. Keeps some sandboxes warm, launched before a session
 * needs them.
 */
public final class SandboxPool implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SandboxPool.class.getName());

    private final SandboxHost host;
    private final SandboxStore store;
    private final PoolEntries entries;
    private final Evictions evictions;
    private final Warmer warmer;
    private final SandboxRemover remover = new SandboxRemover(this::remove);

    public SandboxPool(SandboxManager manager, int capacity, SandboxStore store) {
        this(manager, capacity, _ -> Integer.MAX_VALUE, store);
    }

    /** Creates a pool; {@code limits} returns the maximum number of sandboxes of a tenant. */
    public SandboxPool(
            SandboxManager manager,
            int capacity,
            ToIntFunction<TenantId> limits,
            SandboxStore store) {
        this(manager, capacity, limits, store, Duration.ofSeconds(1));
    }

    SandboxPool(SandboxHost host, int capacity, SandboxStore store, Duration delay) {
        this(host, capacity, _ -> Integer.MAX_VALUE, store, delay);
    }

    /** Creates a pool; {@code delay} is the first back-off delay after a warm sandbox is lost. */
    SandboxPool(
            SandboxHost host,
            int capacity,
            ToIntFunction<TenantId> limits,
            SandboxStore store,
            Duration delay) {
        this.host = host;
        this.store = store;
        this.entries = new PoolEntries(capacity, limits, host.existing(), store);
        this.evictions = new Evictions(host, entries);
        this.warmer = new Warmer(entries, capacity / 4, delay, new WarmSandboxes());
    }

    /**
     * Launches a sandbox. If the pool is full, evicts the least recently used sandbox that is not
     * needed: first an unclaimed warm one, then a waiting one that its session releases. The victim
     * belongs to the tenant with the most sandboxes, never to another tenant within its fair share.
     *
     * @param evictor decides whether a session releases its waiting sandbox
     */
    public Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor) {
        var local = host.resolve(spec); // first: do not evict for a sandbox that cannot start
        warmer.postpone();
        remover.recordActivity();
        var entry = entries.add(tenant, spec.id());
        try {
            evictions.admit(entry, evictor);
        } catch (RuntimeException e) {
            release(entry);
            throw e;
        }
        return start(entry, tenant, local, SandboxState.WAITING);
    }

    /**
     * Claims a warm sandbox for a session, if there is one; the session owns its id from then on,
     * and stores it. Until then, a new server removes the sandbox like an unclaimed one.
     */
    public Optional<Sandbox> claim(WarmKey key) {
        warmer.recordRequest(key);
        remover.recordActivity();
        for (var reserved = entries.reserveWarm(key);
                reserved.isPresent();
                reserved = entries.reserveWarm(key)) {
            var entry = reserved.get();
            var sandbox = entry.sandbox();
            if (sandbox == null || !sandbox.isAlive()) {
                continue; // it has just died and is being removed
            }
            if (entries.claim(entry)) {
                entry.setState(SandboxState.WAITING);
                warmer.recordClaim(key);
                return Optional.of(sandbox);
            }
        }
        return Optional.empty();
    }

    /**
     * Adopts the sandbox that a killed server left running, if its bridge still answers and has the
     * nonce of that launch. Otherwise kills what is left of it.
     */
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        var entry = entries.addRunning(tenant, id);
        Optional<Sandbox> adopted = Optional.empty();
        try {
            adopted = host.adopt(id, nonce, () -> release(entry));
            if (adopted.isPresent() && entry.markStarted(adopted.get(), SandboxState.WAITING)) {
                return adopted;
            }
        } catch (RuntimeException e) {
            adopted.ifPresent(Sandbox::close);
            release(entry);
            throw e;
        }
        adopted.ifPresent(Sandbox::close);
        release(entry);
        return Optional.empty();
    }

    /**
     * Kills everything else that a killed server left running, and deletes the files and rows of
     * sandboxes that belong to no session. Called once at start, after all adoptions.
     */
    public void killLeftovers() {
        for (var id : host.existing()) {
            if (entries.find(id).isEmpty() && host.killLeftovers(id)) {
                store.updateState(id, SandboxState.COLD);
            }
        }
        for (var id : store.findUnused()) {
            if (entries.find(id).isEmpty()) {
                remove(id);
            }
        }
        host.killOrphans();
    }

    /** Returns the number of processes of sandboxes that this pool does not run. */
    public int orphans() {
        return host.orphans();
    }

    /**
     * Sets the number of warm sandboxes to keep of a kind. They are started in the background as
     * far as capacity allows.
     */
    public void keepWarm(WarmKey key, Map<String, String> ashEnvironment, int count) {
        warmer.setTarget(key, ashEnvironment, count);
        terminateWarm(entries.reserveSurplusWarm(key::equals, Math.max(0, count)));
    }

    /** Terminates the warm sandboxes of all other versions of an agent and keeps none of them. */
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {
        Predicate<WarmKey> others =
                key ->
                        key.tenant().equals(tenant)
                                && key.agent().name().equals(agent)
                                && key.agent().version() != exceptVersion;
        warmer.removeTargets(others);
        terminateWarm(entries.reserveSurplusWarm(others, 0));
    }

    /** Returns the sandbox if it is running. */
    public Optional<Sandbox> find(SandboxId id) {
        return entries.find(id).map(PoolEntry::sandbox).filter(Sandbox::isAlive);
    }

    /** Records that a turn runs in the sandbox. */
    public void markRunning(SandboxId id) {
        entries.find(id).ifPresent(entry -> entry.setState(SandboxState.RUNNING));
    }

    /** Records that no turn runs in the sandbox. */
    public void markWaiting(SandboxId id) {
        entries.find(id).ifPresent(entry -> entry.setState(SandboxState.WAITING));
    }

    /** Terminates a running or starting sandbox; its files stay, and it can be opened again. */
    public void terminate(SandboxId id) {
        remover.recordActivity();
        var entry = entries.find(id);
        entry.ifPresent(PoolEntry::dismiss);
        host.terminate(id);
        entry.ifPresent(PoolEntry::awaitReleased);
    }

    /** Terminates a sandbox, and deletes its files and its row in the background. */
    public void discard(SandboxId id) {
        terminate(id);
        remover.removeSoon(id);
    }

    /** Copies the workspace and home of a sandbox to one that has never run. */
    public void copy(SandboxId from, SandboxId to) {
        host.copy(from, to);
        entries.addCold(to);
    }

    public PoolStats stats() {
        return entries.stats();
    }

    /** Terminates all sandboxes and starts no more; their files stay. Idempotent. */
    @Override
    public void close() {
        warmer.close();
        var all = entries.close();
        all.forEach(PoolEntry::dismiss);
        host.terminate(all.stream().map(entry -> entry.id).toList());
        all.forEach(PoolEntry::awaitReleased);
        warmer.join();
        remover.close();
    }

    private Sandbox start(
            PoolEntry entry, TenantId tenant, LocalSpec local, SandboxState whenStarted) {
        Sandbox sandbox = null;
        var spec = local.spec();
        try {
            var project = local.project();
            var workspace = project == null ? host.workspace(spec.id()) : project.path();
            store.recordLaunch(
                    new SandboxRow(
                            spec.id(),
                            tenant,
                            spec.session(),
                            spec.agent().name(),
                            workspace,
                            spec.nonce()));
            entry.requireNotDismissed();
            entries.markHasFiles(entry);
            sandbox = host.launch(local, () -> release(entry));
            if (!entry.markStarted(sandbox, whenStarted)) {
                entry.requireNotDismissed();
                throw new ApiException(ErrorCode.SANDBOX_FAILED, sandbox.exitReason());
            }
            return sandbox;
        } catch (RuntimeException e) {
            if (sandbox != null) {
                sandbox.close();
            }
            release(entry);
            throw e;
        }
    }

    private final class WarmSandboxes implements Warmer.Sandboxes {
        @Override
        public void start(PoolEntry entry, WarmKey key, Map<String, String> ashEnvironment) {
            warm(entry, key, ashEnvironment);
        }

        @Override
        public void terminateSurplus(WarmKey key, int keep) {
            terminateWarm(entries.reserveSurplusWarm(key::equals, keep));
        }
    }

    private void warm(PoolEntry entry, WarmKey key, Map<String, String> environment) {
        var spec =
                new SandboxSpec(
                        entry.id,
                        null,
                        key.agent(),
                        environment,
                        key.limits(),
                        key.network(),
                        LaunchIds.random());
        try {
            start(entry, key.tenant(), resolve(entry, spec), SandboxState.WARM);
        } catch (RuntimeException e) {
            if (!entry.isDismissed()) {
                LOG.log(
                        Level.WARNING,
                        "Cannot start a warm sandbox for agent {0}: {1}",
                        key.agent().name(),
                        e.getMessage());
            }
        }
    }

    private LocalSpec resolve(PoolEntry entry, SandboxSpec spec) {
        try {
            return host.resolve(spec);
        } catch (RuntimeException e) {
            release(entry);
            throw e;
        }
    }

    /**
     * Releases the entry of a sandbox that has exited or failed to launch; later calls do nothing.
     */
    private void release(PoolEntry entry) {
        if (entry.markExited()) {
            if (entries.releaseCapacity(entry)) {
                removeUnclaimed(entry);
            }
            entries.remove(entry);
            entry.markReleased();
            warmer.wake();
        }
    }

    /** Deletes a warm sandbox that was never claimed. */
    private void removeUnclaimed(PoolEntry entry) {
        try {
            remove(entry.id);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "Cannot remove warm sandbox " + entry.id, e);
        }
        var key = entry.key();
        if (key != null && !entry.isDismissed()) {
            warmer.recordLoss(key);
        }
    }

    private void remove(SandboxId id) {
        host.discard(id);
        store.delete(id);
        entries.removeCold(id);
    }

    private void terminateWarm(List<PoolEntry> warm) {
        warm.forEach(PoolEntry::dismiss);
        host.terminate(warm.stream().map(entry -> entry.id).toList());
        warm.forEach(PoolEntry::awaitReleased);
    }
}
