package dev.ash.server.runner;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.Evictor;
import dev.ash.sandbox.Network;
import dev.ash.sandbox.PoolStats;
import dev.ash.sandbox.Sandbox;
import dev.ash.sandbox.SandboxSpec;
import dev.ash.sandbox.WarmKey;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Gives sessions access to sandboxes, and is the only class that does. The standalone server has
 * one {@link LocalRunnerBackend}; a cluster would add a backend for each machine.
 */
public final class RunnerCoordinator implements AutoCloseable {
    private final RunnerBackend local;

    public RunnerCoordinator(RunnerBackend local) {
        this.local = local;
    }

    /** Throws if there is too little disk space for a new session. */
    public void requireDiskSpace() {
        local.requireDiskSpace();
    }

    /**
     * Starts a sandbox. If the pool is full, evicts the least recently used one that is not needed:
     * first a warm one, then an idle one whose session releases it.
     *
     * @param evictor asks a session to release its idle sandbox
     */
    public Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor) {
        return local.open(tenant, spec, evictor);
    }

    /** Claims a warm sandbox for the session, if there is one. Does not block. */
    public Optional<Sandbox> claim(WarmKey key) {
        return local.claim(key);
    }

    /**
     * Adopts the running sandbox of a killed server, if its bridge responds and belongs to the
     * launch with this nonce. Otherwise terminates its remaining processes.
     */
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        return local.adopt(tenant, id, nonce);
    }

    /** Terminates all sandboxes of a killed server that were not adopted, and removes warm ones. */
    public void terminateLeftovers() {
        local.terminateLeftovers();
    }

    /**
     * Sets the number of warm sandboxes to keep for this key. They are started in the background,
     * while the pool has room.
     */
    public void keepWarm(WarmKey key, Map<String, String> ashEnvironment, int count) {
        local.keepWarm(key, ashEnvironment, count);
    }

    /** Stops keeping warm sandboxes of an agent's other versions, and removes them. */
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {
        local.dropWarm(tenant, agent, exceptVersion);
    }

    public Optional<Sandbox> find(SandboxId id) {
        return local.find(id);
    }

    /** Records that a turn runs in the sandbox. */
    public void markBusy(SandboxId id) {
        local.markBusy(id);
    }

    /** Records that no turn runs in the sandbox. */
    public void markIdle(SandboxId id) {
        local.markIdle(id);
    }

    /** Terminates the processes and keeps the files. */
    public void terminate(SandboxId id) {
        local.terminate(id);
    }

    /** Terminates the processes, and removes the files in the background. */
    public void discard(SandboxId id) {
        local.discard(id);
    }

    /**
     * Copies the workspace and home of one sandbox, which must not run, to another that has never
     * run. A failed copy leaves no files; one that was interrupted by a crash must be repeated or
     * discarded.
     */
    public void copy(SandboxId from, SandboxId to) {
        local.copy(from, to);
    }

    public Path workspace(SandboxId id) {
        return local.workspace(id);
    }

    public Path logDirectory(SandboxId id) {
        return local.logDirectory(id);
    }

    /** Returns the uid that owns the files of this sandbox, if it has a uid of its own. */
    public OptionalInt ownerUid(SandboxId id) {
        return local.ownerUid(id);
    }

    public PoolStats stats() {
        return local.stats();
    }

    public Isolation isolation(Network network) {
        return local.isolation(network);
    }

    /**
     * Returns the number of sandbox processes that belong to no session; 0 unless there is a bug.
     */
    public int orphanCount() {
        return local.orphanCount();
    }

    /** Returns the directory of the socket on which the sandbox's egress proxy listens. */
    public Path egressDirectory(SandboxId id) {
        return local.egressDirectory(id);
    }

    public int remoteRunnerCount() {
        return 0;
    }

    @Override
    public void close() {
        local.close();
    }
}
