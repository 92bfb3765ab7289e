package dev.ash.server.session.recovery;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.sandbox.BridgeClient;
import dev.ash.sandbox.Evictor;
import dev.ash.sandbox.Network;
import dev.ash.sandbox.PoolStats;
import dev.ash.sandbox.Sandbox;
import dev.ash.sandbox.SandboxRow;
import dev.ash.sandbox.SandboxSpec;
import dev.ash.sandbox.SandboxState;
import dev.ash.sandbox.SandboxStore;
import dev.ash.sandbox.WarmKey;
import dev.ash.server.runner.RunnerBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The runner of one server. Its sandboxes belong to the host and survive the server. */
final class FakeRunner implements RunnerBackend {
    private static final Duration CONNECT_TIMEOUT =
            Duration.ofSeconds(60); // test machines are busy

    private final FakeHost host;
    private final ServerLifetime lifetime;
    private final SandboxStore store;
    private final Map<SandboxId, FakeBridge> running = new ConcurrentHashMap<>();
    private final Queue<BridgeClient> clients = new ConcurrentLinkedQueue<>();

    FakeRunner(FakeHost host, ServerLifetime lifetime, SandboxStore store) {
        this.host = host;
        this.lifetime = lifetime;
        this.store = store;
    }

    private final class FakeSandbox implements Sandbox {
        private final SandboxId id;
        private final FakeBridge bridge;
        private final BridgeClient client;

        FakeSandbox(SandboxId id, FakeBridge bridge, BridgeClient client) {
            this.id = id;
            this.bridge = bridge;
            this.client = client;
        }

        @Override
        public SandboxId id() {
            return id;
        }

        @Override
        public String launchId() {
            return bridge.nonce();
        }

        /** A killed server sends nothing more, and must not react to failures. */
        @Override
        public BridgeClient bridge() {
            return lifetime.callAtomically(() -> client);
        }

        @Override
        public boolean isAlive() {
            return bridge.alive();
        }

        @Override
        public Optional<String> pressure() {
            return Optional.empty();
        }

        @Override
        public String exitReason() {
            return lifetime.callAtomically(() -> "The bridge was killed");
        }

        @Override
        public void close() {
            lifetime.callAtomically(() -> bridge.end(FakeBridge.End.KILLED_BY_SERVER));
            client.close();
        }
    }

    private Sandbox connect(SandboxId id, FakeBridge bridge) throws IOException {
        var client = BridgeClient.connect(bridge.socket(), CONNECT_TIMEOUT);
        clients.add(client);
        running.put(id, bridge);
        bridge.onEnd(() -> lifetime.call(() -> onBridgeEnd(id, bridge)));
        store.updateState(id, SandboxState.WAITING);
        if (!bridge.alive()) {
            onBridgeEnd(id, bridge);
        }
        return new FakeSandbox(id, bridge, client);
    }

    private boolean onBridgeEnd(SandboxId id, FakeBridge bridge) {
        return lifetime.callAtomically(() -> running.remove(id, bridge))
                && setState(id, SandboxState.COLD);
    }

    private boolean setState(SandboxId id, SandboxState state) {
        store.updateState(id, state);
        return true;
    }

    @Override
    public Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor) {
        var nonce = spec.nonce();
        store.recordLaunch(
                new SandboxRow(
                        spec.id(),
                        tenant,
                        spec.session(),
                        spec.agent().name(),
                        Path.of("/"),
                        nonce));
        var bridge = lifetime.callAtomically(() -> host.launch(spec.id(), nonce));
        try {
            return connect(spec.id(), bridge);
        } catch (IOException e) {
            throw new ApiException(ErrorCode.SANDBOX_FAILED, "The bridge has exited", e);
        }
    }

    @Override
    public Optional<Sandbox> claim(WarmKey key) {
        return Optional.empty();
    }

    @Override
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        var bridge = host.running(id).filter(found -> found.nonce().equals(nonce));
        try {
            return bridge.isPresent() ? Optional.of(connect(id, bridge.get())) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void terminateLeftovers() {
        for (var bridge : host.running()) {
            var id = new SandboxId(bridge.sandbox());
            if (running.get(id) != bridge) {
                lifetime.callAtomically(() -> bridge.end(FakeBridge.End.KILLED_BY_SERVER));
                store.updateState(id, SandboxState.COLD);
            }
        }
    }

    @Override
    public void terminate(SandboxId id) {
        lifetime.callAtomically(() -> host.running(id).ifPresent(this::kill));
        if (running.remove(id) != null) {
            store.updateState(id, SandboxState.COLD);
        }
    }

    private void kill(FakeBridge bridge) {
        bridge.end(FakeBridge.End.KILLED_BY_SERVER);
    }

    @Override
    public void discard(SandboxId id) {
        terminate(id);
        lifetime.callAtomically(() -> host.discard(id));
        store.delete(id);
    }

    @Override
    public void copy(SandboxId from, SandboxId to) {
        lifetime.callAtomically(() -> host.copy(from, to));
    }

    @Override
    public void markBusy(SandboxId id) {
        if (running.containsKey(id)) {
            store.updateState(id, SandboxState.RUNNING);
        }
    }

    @Override
    public void markIdle(SandboxId id) {
        if (running.containsKey(id)) {
            store.updateState(id, SandboxState.WAITING);
        }
    }

    @Override
    public void keepWarm(WarmKey key, Map<String, String> env, int count) {}

    @Override
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {}

    @Override
    public Optional<Sandbox> find(SandboxId id) {
        return Optional.empty();
    }

    @Override
    public Path workspace(SandboxId id) {
        return Path.of("/");
    }

    @Override
    public Path logDirectory(SandboxId id) {
        return Path.of("/");
    }

    @Override
    public OptionalInt ownerUid(SandboxId id) {
        return OptionalInt.empty();
    }

    @Override
    public PoolStats stats() {
        return new PoolStats(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public int orphanCount() {
        return 0;
    }

    @Override
    public Path egressDirectory(SandboxId id) {
        return Path.of("/");
    }

    @Override
    public void requireDiskSpace() {}

    @Override
    public Isolation isolation(Network network) {
        return new Isolation("none", "host", null, null);
    }

    /** Closes the sockets of a killed server, as the kernel does. */
    @Override
    public void close() {
        clients.forEach(BridgeClient::close);
    }
}
