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

/** Hosts sandboxes. {@link RunnerCoordinator} documents the operations. */
public interface RunnerBackend extends AutoCloseable {
    void requireDiskSpace();

    Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor);

    Optional<Sandbox> claim(WarmKey key);

    Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce);

    void terminateLeftovers();

    void keepWarm(WarmKey key, Map<String, String> ashEnvironment, int count);

    void dropWarm(TenantId tenant, AgentName agent, int exceptVersion);

    Optional<Sandbox> find(SandboxId id);

    void markBusy(SandboxId id);

    void markIdle(SandboxId id);

    void terminate(SandboxId id);

    void discard(SandboxId id);

    void copy(SandboxId from, SandboxId to);

    Path workspace(SandboxId id);

    Path logDirectory(SandboxId id);

    OptionalInt ownerUid(SandboxId id);

    PoolStats stats();

    Isolation isolation(Network network);

    int orphanCount();

    Path egressDirectory(SandboxId id);

    @Override
    void close();
}
