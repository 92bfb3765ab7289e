package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** A sandbox host without processes, which counts sandboxes from launch to exit. */
final class FakeHost implements SandboxHost {
    final Map<SandboxId, FakeSandbox> living = new ConcurrentHashMap<>();
    final Set<SandboxId> files = ConcurrentHashMap.newKeySet();
    final Queue<Long> launches = new ConcurrentLinkedQueue<>();
    final AtomicInteger maxCount = new AtomicInteger();
    final AtomicInteger count = new AtomicInteger();
    volatile BooleanSupplier fails = () -> false;
    volatile Runnable beforeLaunch = () -> {};
    volatile boolean hasAgents = true;
    final AtomicInteger resolved = new AtomicInteger();

    final class FakeSandbox implements Sandbox {
        private final SandboxSpec spec;
        private final String nonce;
        private final Runnable onExit;
        private final AtomicBoolean exited = new AtomicBoolean();

        private FakeSandbox(SandboxSpec spec, String nonce, Runnable onExit) {
            this.spec = spec;
            this.nonce = nonce;
            this.onExit = onExit;
        }

        @Override
        public SandboxId id() {
            return spec.id();
        }

        @Override
        public String launchId() {
            return nonce;
        }

        @Override
        public BridgeClient bridge() {
            throw new UnsupportedOperationException("there is no process");
        }

        @Override
        public boolean isAlive() {
            return !exited.get();
        }

        @Override
        public Optional<String> pressure() {
            return Optional.empty();
        }

        @Override
        public String exitReason() {
            return "The fake sandbox exited.";
        }

        @Override
        public void close() {
            if (exited.compareAndSet(false, true)) {
                living.remove(id(), this);
                count.decrementAndGet();
                onExit.run();
            }
        }
    }

    @Override
    public LocalSpec resolve(SandboxSpec spec) {
        resolved.incrementAndGet();
        if (!hasAgents) {
            throw new ApiException(ErrorCode.AGENT_UNUSABLE, "the files of the agent are missing");
        }
        return new LocalSpec(spec, Path.of("/agent"), null);
    }

    @Override
    public Sandbox launch(LocalSpec local, Runnable onExit) {
        return launch(local.spec(), local.spec().nonce(), onExit);
    }

    private Sandbox launch(SandboxSpec spec, String nonce, Runnable onExit) {
        maxCount.accumulateAndGet(count.incrementAndGet(), Math::max);
        launches.add(System.nanoTime());
        files.add(spec.id());
        beforeLaunch.run();
        if (fails.getAsBoolean()) {
            count.decrementAndGet();
            throw new ApiException(ErrorCode.SANDBOX_FAILED, "injected failure");
        }
        var sandbox = new FakeSandbox(spec, nonce, onExit);
        living.put(spec.id(), sandbox);
        return sandbox;
    }

    @Override
    public Optional<Sandbox> adopt(SandboxId id, String nonce, Runnable onExit) {
        if (!files.contains(id)) {
            return Optional.empty();
        }
        var spec = WarmPoolTest.spec(id);
        return Optional.of(launch(spec, nonce, onExit));
    }

    @Override
    public boolean killLeftovers(SandboxId id) {
        return true;
    }

    @Override
    public void killOrphans() {}

    @Override
    public int orphans() {
        return 0;
    }

    @Override
    public void terminate(SandboxId id) {
        var sandbox = living.get(id);
        if (sandbox != null) {
            sandbox.close();
        }
    }

    @Override
    public void terminate(Collection<SandboxId> ids) {
        ids.forEach(this::terminate);
    }

    @Override
    public void discard(SandboxId id) {
        terminate(id);
        files.remove(id);
    }

    @Override
    public void copy(SandboxId from, SandboxId to) {
        files.add(to);
    }

    @Override
    public Path workspace(SandboxId id) {
        return Path.of("/nowhere").resolve(id.value());
    }

    @Override
    public Set<SandboxId> existing() {
        return Set.copyOf(files);
    }
}
