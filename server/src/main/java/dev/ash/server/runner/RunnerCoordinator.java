package dev.ash.server.runner;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
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
 * The only way from sessions to sandboxes. Standalone, it stands before one {@link
 * LocalRunnerBackend}; the machines of a cluster will stand behind it the same way.
 */
public final class RunnerCoordinator implements AutoCloseable {
    private final RunnerBackend local;

    public RunnerCoordinator(RunnerBackend local) {
        this.local = local;
    }

    /** Refuses new sessions while too little of the disk is free for their files. */
    public void requireDiskSpace() {
        local.requireDiskSpace();
    }

    /**
     * Starts a sandbox. Where there is no room, the least recently used one that nobody needs has
     * to go: first a warm one, then a waiting one whose session lets go of it.
     *
     * @param evictor decides whether a session can do without its waiting sandbox
     */
    public Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor) {
        return local.open(tenant, spec, evictor);
    }

    /** A warm sandbox, if there is one: at once, and the session owns its id from now on. */
    public Optional<Sandbox> claim(WarmKey key, SessionId session) {
        return local.claim(key, session);
    }

    /**
     * Takes over the sandbox that a killed server left running, if its bridge still answers and is
     * that of the launch with this nonce. If not, what is left of it is ended.
     */
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        return local.adopt(tenant, id, nonce);
    }

    /** After the adoptions: ends all else that a killed server left, and removes its warm ones. */
    public void terminateLeftovers() {
        local.terminateLeftovers();
    }

    /**
     * Wishes for so many warm sandboxes of a kind from now on; none if the count is zero. They are
     * made in the background, as far as there is room.
     */
    public void keepWarm(WarmKey key, Map<String, String> ashEnvironment, int count) {
        local.keepWarm(key, ashEnvironment, count);
    }

    /** Wishes for no warm sandboxes of an agent's other versions, and removes those there are. */
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {
        local.dropWarm(tenant, agent, exceptVersion);
    }

    public Optional<Sandbox> find(SandboxId id) {
        return local.find(id);
    }

    /** Notes that a turn runs in the sandbox. */
    public void markBusy(SandboxId id) {
        local.markBusy(id);
    }

    /** Notes that no turn runs in the sandbox. */
    public void markIdle(SandboxId id) {
        local.markIdle(id);
    }

    /** Ends the processes; the files stay. */
    public void terminate(SandboxId id) {
        local.terminate(id);
    }

    /** Ends the processes and removes the files. */
    public void discard(SandboxId id) {
        local.discard(id);
    }

    /**
     * Gives a sandbox that has never run copies of another's workspace and home. The other must not
     * run. A copy that fails leaves nothing; one that was killed is repeated or discarded.
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

    /** The uid that files of this sandbox belong to, where it has one of its own. */
    public OptionalInt ownerUid(SandboxId id) {
        return local.ownerUid(id);
    }

    public PoolStats stats() {
        return local.stats();
    }

    public Isolation isolation(Network network) {
        return local.isolation(network);
    }

    /** Processes of sandboxes that nobody knows of: none, unless something went wrong. */
    public int orphanCount() {
        return local.orphanCount();
    }

    /** The folder in which the server listens for what a sandbox wants of the network. */
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
