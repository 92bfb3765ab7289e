package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.launch.Latches;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * All sandboxes of a server, and never more of them running than there is room for. A place is
 * taken before a launch and given back when nothing of the sandbox runs any more.
 *
 * <p>The pool's monitor guards which places there are, and nothing slow happens inside. The store
 * is told under the monitor of the one place concerned, so that it hears of changes in their order.
 */
public final class SandboxPool implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SandboxManager manager;
    private final int capacity;
    private final SandboxStore store;
    private final Map<SandboxId, Place> places = new HashMap<>();
    private final Set<SandboxId> cold;
    private boolean closed;

    public SandboxPool(SandboxManager manager, int capacity, SandboxStore store) {
        this.manager = manager;
        this.capacity = capacity;
        this.store = store;
        this.cold = new HashSet<>(manager.existing());
    }

    /** Launches a sandbox, if there is room. */
    public Sandbox open(TenantId tenant, SandboxSpec spec) {
        var place = take(spec.id());
        Sandbox sandbox = null;
        try {
            var workspace = manager.workspace(spec.id());
            var nonce = LaunchIds.random();
            store.starting(
                    new SandboxRow(
                            spec.id(), tenant, spec.session(), spec.agent(), workspace, nonce));
            sandbox = manager.launch(spec, nonce, () -> release(spec.id(), place));
            if (!place.settle(sandbox)) {
                throw new ApiException(ErrorCode.SANDBOX_FAILED, sandbox.death());
            }
            return sandbox;
        } catch (RuntimeException e) {
            if (sandbox != null) {
                sandbox.close();
            }
            release(spec.id(), place);
            throw e;
        }
    }

    /** The sandbox, if it runs. */
    public Optional<Sandbox> find(SandboxId id) {
        return place(id).map(place -> place.sandbox).filter(Sandbox::alive);
    }

    /** A warm sandbox for this session, if there is one; the session owns its id from now on. */
    public Optional<Sandbox> claim(WarmKey key, SessionId session) {
        return Optional.empty();
    }

    /**
     * Takes over the sandbox that a killed server left running, if its bridge still answers and is
     * that of the launch with this nonce. What else is left of it is ended.
     */
    public Optional<Sandbox> adopt(SandboxId id, String nonce) {
        return Optional.empty();
    }

    /**
     * Once at the start, after all adoptions: ends everything else that a killed server left
     * running, and removes its warm sandboxes, files and rows.
     */
    public void endLeftovers() {
        manager.endLeftovers();
    }

    /**
     * Wishes for so many warm sandboxes of a kind, from now on; they are made in the background.
     */
    public void keepWarm(
            WarmKey key, Path agentDir, Map<String, String> ashEnvironment, int count) {}

    /** Wishes for no more warm sandboxes of an agent's other versions, and ends those there are. */
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {}

    /** Who is asked when there is no room and a waiting sandbox would have to go. */
    public void onEvict(Evictor evictor) {}

    /** Gives a new sandbox copies of the workspace and home of one that does not run. */
    public void copy(SandboxId from, SandboxId to) {}

    /** Notes that a turn runs in the sandbox. */
    public void running(SandboxId id) {
        place(id).ifPresent(place -> place.become(SandboxState.RUNNING));
    }

    /** Notes that no turn runs in the sandbox. */
    public void waiting(SandboxId id) {
        place(id).ifPresent(place -> place.become(SandboxState.WAITING));
    }

    /** Ends a sandbox, running or starting; its files stay, and it can be opened again. */
    public void end(SandboxId id) {
        var place = place(id);
        manager.end(id);
        place.ifPresent(Place::awaitReleased);
    }

    /** Ends a sandbox and removes its files and its row. */
    public void discard(SandboxId id) {
        end(id);
        manager.discard(id);
        synchronized (this) {
            cold.remove(id);
        }
        store.removed(id);
    }

    public synchronized PoolStats stats() {
        return new PoolStats(
                cold.size() + places.size(),
                cold.size(),
                count(SandboxState.WARMING),
                count(SandboxState.WARM),
                count(SandboxState.WAITING),
                count(SandboxState.RUNNING),
                capacity,
                0,
                0);
    }

    /** Ends all sandboxes and starts no more; their files stay. May be called twice. */
    @Override
    public void close() {
        manager.end(closeDoor());
    }

    private synchronized List<SandboxId> closeDoor() {
        closed = true;
        return List.copyOf(places.keySet());
    }

    private synchronized Place take(SandboxId id) {
        if (closed) {
            throw new ApiException(
                    ErrorCode.SHUTTING_DOWN, "The server is shutting down; it starts no sandbox.");
        }
        if (places.containsKey(id)) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY, "Sandbox %s runs or starts already.".formatted(id));
        }
        if (places.size() >= capacity) {
            throw new ApiException(
                    ErrorCode.CAPACITY_REACHED,
                    "All %d sandboxes are in use. End or pause a session, or raise ASH_MAX_SANDBOXES."
                            .formatted(capacity));
        }
        var place = new Place(id);
        places.put(id, place);
        cold.remove(id);
        return place;
    }

    /** Called when a sandbox has ended, and again by a launch that failed: the first one counts. */
    private void release(SandboxId id, Place place) {
        try {
            place.end();
        } finally {
            synchronized (this) {
                if (places.remove(id, place)) {
                    cold.add(id);
                }
            }
            place.released.countDown();
        }
    }

    private synchronized Optional<Place> place(SandboxId id) {
        return Optional.ofNullable(places.get(id));
    }

    private int count(SandboxState state) {
        return (int) places.values().stream().filter(place -> place.state == state).count();
    }

    /** What takes room: a sandbox from before its launch until after its end. */
    private final class Place {
        private final SandboxId id;
        private final CountDownLatch released = new CountDownLatch(1);
        private volatile SandboxState state = SandboxState.WARMING;
        private volatile @Nullable Sandbox sandbox;

        private Place(SandboxId id) {
            this.id = id;
        }

        /** False if the sandbox has ended in the meantime. */
        synchronized boolean settle(Sandbox started) {
            sandbox = started;
            become(SandboxState.WAITING);
            return state != SandboxState.COLD;
        }

        synchronized void become(SandboxState next) {
            if (state != SandboxState.COLD && state != next) {
                state = next;
                store.state(id, next);
            }
        }

        synchronized void end() {
            become(SandboxState.COLD);
        }

        void awaitReleased() {
            Latches.await(released, PATIENCE);
        }
    }
}
