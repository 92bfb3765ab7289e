package dev.ash.server.session.recovery;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
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

/** The sandboxes of one life of a server; they themselves are in the host and outlive it. */
final class ModelRunner implements RunnerBackend {
    private static final Duration PATIENCE = Duration.ofSeconds(60); // machines are busy

    private final ModelHost host;
    private final CrashLife life;
    private final SandboxStore store;
    private final Map<SandboxId, ModelBridge> mine = new ConcurrentHashMap<>();
    private final Queue<BridgeClient> clients = new ConcurrentLinkedQueue<>();

    ModelRunner(ModelHost host, CrashLife life, SandboxStore store) {
        this.host = host;
        this.life = life;
        this.store = store;
    }

    private final class Place implements Sandbox {
        private final SandboxId id;
        private final ModelBridge bridge;
        private final BridgeClient client;

        Place(SandboxId id, ModelBridge bridge, BridgeClient client) {
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

        /** A dead server says nothing more, least of all because it learns of failures. */
        @Override
        public BridgeClient bridge() {
            return life.act(() -> client);
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
            return life.act(() -> "The bridge was killed");
        }

        @Override
        public void close() {
            life.act(() -> bridge.end(ModelBridge.End.BY_SERVER));
            client.close();
        }
    }

    private Sandbox connect(SandboxId id, ModelBridge bridge) throws IOException {
        var client = BridgeClient.connect(bridge.socket(), PATIENCE);
        clients.add(client);
        mine.put(id, bridge);
        bridge.onEnd(() -> life.as(() -> ended(id, bridge)));
        store.updateState(id, SandboxState.WAITING);
        if (!bridge.alive()) {
            ended(id, bridge);
        }
        return new Place(id, bridge, client);
    }

    private boolean ended(SandboxId id, ModelBridge bridge) {
        return life.act(() -> mine.remove(id, bridge)) && note(id, SandboxState.COLD);
    }

    private boolean note(SandboxId id, SandboxState state) {
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
        var bridge = life.act(() -> host.launch(spec.id(), nonce));
        try {
            return connect(spec.id(), bridge);
        } catch (IOException e) {
            throw new ApiException(ErrorCode.SANDBOX_FAILED, "The bridge is gone", e);
        }
    }

    @Override
    public Optional<Sandbox> claim(WarmKey key, SessionId session) {
        return Optional.empty();
    }

    @Override
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        var bridge = host.running(id).filter(left -> left.nonce().equals(nonce));
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
            if (mine.get(id) != bridge) {
                life.act(() -> bridge.end(ModelBridge.End.BY_SERVER));
                store.updateState(id, SandboxState.COLD);
            }
        }
    }

    @Override
    public void terminate(SandboxId id) {
        life.act(() -> host.running(id).ifPresent(this::kill));
        if (mine.remove(id) != null) {
            store.updateState(id, SandboxState.COLD);
        }
    }

    private void kill(ModelBridge bridge) {
        bridge.end(ModelBridge.End.BY_SERVER);
    }

    @Override
    public void discard(SandboxId id) {
        terminate(id);
        life.act(() -> host.discard(id));
        store.delete(id);
    }

    @Override
    public void copy(SandboxId from, SandboxId to) {
        life.act(() -> host.copy(from, to));
    }

    @Override
    public void markBusy(SandboxId id) {
        if (mine.containsKey(id)) {
            store.updateState(id, SandboxState.RUNNING);
        }
    }

    @Override
    public void markIdle(SandboxId id) {
        if (mine.containsKey(id)) {
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

    /** The kernel closes what a killed process had open. */
    @Override
    public void close() {
        clients.forEach(BridgeClient::close);
    }
}
