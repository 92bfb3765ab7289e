package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
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
 * All sandboxes of a server, and never more of them running than there is room for. A place is
 * taken before a launch and given back when nothing of the sandbox runs any more. Some are warm:
 * launched before there is a session for them.
 */
public final class SandboxPool implements AutoCloseable {
    private static final Logger LOG = System.getLogger(SandboxPool.class.getName());

    private final SandboxHost host;
    private final SandboxStore store;
    private final Places places;
    private final Evictions evictions;
    private final Warmer warmer;

    public SandboxPool(SandboxManager manager, int capacity, SandboxStore store) {
        this(manager, capacity, _ -> Integer.MAX_VALUE, store);
    }

    /** {@code limits} is how many sandboxes a tenant may have at the same time. */
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

    /** The delay is that after a warm sandbox was lost for the first time. */
    SandboxPool(
            SandboxHost host,
            int capacity,
            ToIntFunction<TenantId> limits,
            SandboxStore store,
            Duration delay) {
        this.host = host;
        this.store = store;
        this.places = new Places(capacity, limits, host.existing(), store);
        this.evictions = new Evictions(host, places);
        this.warmer = new Warmer(places, delay, this::warm);
    }

    /**
     * Launches a sandbox. Where there is no room, the least recently used one that nobody needs has
     * to go: first a warm one, then a waiting one whose session lets go of it. It is one of the
     * tenant that has the most, and never one of another tenant within its fair share.
     *
     * @param evictor decides whether a session can do without its waiting sandbox
     */
    public Sandbox open(TenantId tenant, SandboxSpec spec, Evictor evictor) {
        var local = host.resolve(spec); // no other sandbox has to go for one that cannot start
        var place = places.take(tenant, spec.id());
        try {
            evictions.makeRoom(place, evictor);
        } catch (RuntimeException e) {
            release(place);
            throw e;
        }
        return start(place, tenant, local, SandboxState.WAITING);
    }

    /** A warm sandbox, if there is one: at once, and the session owns its id from now on. */
    public Optional<Sandbox> claim(WarmKey key, SessionId session) {
        for (var held = places.holdWarm(key); held.isPresent(); held = places.holdWarm(key)) {
            var place = held.get();
            var sandbox = place.sandbox();
            if (sandbox == null || !sandbox.alive()) {
                continue; // it has just died, and is on its way out
            }
            try {
                store.claimed(place.id, session);
            } catch (RuntimeException e) {
                endWarm(List.of(place)); // whose it is, is not known
                throw e;
            }
            if (places.claim(place)) {
                place.become(SandboxState.WAITING);
                warmer.claimed(key);
                return Optional.of(sandbox);
            }
        }
        return Optional.empty();
    }

    /**
     * Takes over the sandbox that a killed server left running, if its bridge still answers and is
     * that of the launch with this nonce. If not, what is left of it is ended.
     */
    public Optional<Sandbox> adopt(TenantId tenant, SandboxId id, String nonce) {
        var place = places.takeRunning(tenant, id);
        Optional<Sandbox> adopted = Optional.empty();
        try {
            adopted = host.adopt(id, nonce, () -> release(place));
            if (adopted.isPresent() && place.settle(adopted.get(), SandboxState.WAITING)) {
                return adopted;
            }
        } catch (RuntimeException e) {
            adopted.ifPresent(Sandbox::close);
            release(place);
            throw e;
        }
        adopted.ifPresent(Sandbox::close);
        release(place);
        return Optional.empty();
    }

    /**
     * Once at the start, after all adoptions: ends everything else that a killed server left
     * running, and removes the sandboxes that belong to no session, files and rows.
     */
    public void endLeftovers() {
        for (var id : host.existing()) {
            if (places.find(id).isEmpty() && host.endLeftovers(id)) {
                store.state(id, SandboxState.COLD);
            }
        }
        for (var id : store.unclaimed()) {
            if (places.find(id).isEmpty()) {
                remove(id);
            }
        }
        host.endStrays();
    }

    /** Processes of sandboxes that this pool does not know to run. */
    public int orphans() {
        return host.orphans();
    }

    /**
     * Wishes for so many warm sandboxes of a kind from now on; none if the count is zero. They are
     * made in the background, as far as there is room.
     */
    public void keepWarm(WarmKey key, Map<String, String> ashEnvironment, int count) {
        warmer.wish(key, ashEnvironment, count);
        endWarm(places.dismissWarm(key::equals, Math.max(0, count)));
    }

    /** Wishes for no warm sandboxes of an agent's other versions, and removes those there are. */
    public void dropWarm(TenantId tenant, AgentName agent, int exceptVersion) {
        Predicate<WarmKey> others =
                key ->
                        key.tenant().equals(tenant)
                                && key.agent().name().equals(agent)
                                && key.agent().version() != exceptVersion;
        warmer.forget(others);
        endWarm(places.dismissWarm(others, 0));
    }

    /** The sandbox, if it runs. */
    public Optional<Sandbox> find(SandboxId id) {
        return places.find(id).map(Place::sandbox).filter(Sandbox::alive);
    }

    /** Notes that a turn runs in the sandbox. */
    public void running(SandboxId id) {
        places.find(id).ifPresent(place -> place.become(SandboxState.RUNNING));
    }

    /** Notes that no turn runs in the sandbox. */
    public void waiting(SandboxId id) {
        places.find(id).ifPresent(place -> place.become(SandboxState.WAITING));
    }

    /** Ends a sandbox, running or starting; its files stay, and it can be opened again. */
    public void end(SandboxId id) {
        var place = places.find(id);
        place.ifPresent(Place::dismiss);
        host.end(id);
        place.ifPresent(Place::awaitReleased);
    }

    /** Ends a sandbox and removes its files and its row. */
    public void discard(SandboxId id) {
        end(id);
        remove(id);
    }

    /** Gives a sandbox that has never run copies of another's workspace and home. */
    public void copy(SandboxId from, SandboxId to) {
        host.copy(from, to);
        places.coldCame(to);
    }

    public PoolStats stats() {
        return places.stats();
    }

    /** Ends all sandboxes and starts no more; their files stay. May be called twice. */
    @Override
    public void close() {
        warmer.close();
        var all = places.close();
        all.forEach(Place::dismiss);
        host.end(all.stream().map(place -> place.id).toList());
        all.forEach(Place::awaitReleased);
        warmer.join();
    }

    private Sandbox start(Place place, TenantId tenant, LocalSpec local, SandboxState whenStarted) {
        Sandbox sandbox = null;
        var spec = local.spec();
        try {
            var project = local.project();
            var workspace = project == null ? host.workspace(spec.id()) : project.path();
            store.starting(
                    new SandboxRow(
                            spec.id(),
                            tenant,
                            spec.session(),
                            spec.agent().name(),
                            workspace,
                            spec.nonce()));
            place.requireWanted();
            places.getsFiles(place);
            sandbox = host.launch(local, () -> release(place));
            if (!place.settle(sandbox, whenStarted)) {
                place.requireWanted();
                throw new ApiException(ErrorCode.SANDBOX_FAILED, sandbox.death());
            }
            return sandbox;
        } catch (RuntimeException e) {
            if (sandbox != null) {
                sandbox.close();
            }
            release(place);
            throw e;
        }
    }

    private void warm(Place place, WarmKey key, Map<String, String> environment) {
        var spec =
                new SandboxSpec(
                        place.id,
                        null,
                        key.agent(),
                        environment,
                        key.limits(),
                        key.network(),
                        LaunchIds.random());
        try {
            start(place, key.tenant(), resolve(place, spec), SandboxState.WARM);
        } catch (RuntimeException e) {
            if (!place.isDismissed()) {
                LOG.log(
                        Level.WARNING,
                        "No warm sandbox for agent {0}: {1}",
                        key.agent().name(),
                        e.getMessage());
            }
        }
    }

    private LocalSpec resolve(Place place, SandboxSpec spec) {
        try {
            return host.resolve(spec);
        } catch (RuntimeException e) {
            release(place);
            throw e;
        }
    }

    /** Called when a sandbox has ended, and again by a launch that failed: the first one counts. */
    private void release(Place place) {
        if (place.finish()) {
            if (places.ended(place)) {
                forget(place);
            }
            places.remove(place);
            place.released();
            warmer.wake();
        }
    }

    /** Nobody has claimed it, so nobody wants its files. */
    private void forget(Place place) {
        try {
            remove(place.id);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "Warm sandbox " + place.id + " could not be removed", e);
        }
        var key = place.key();
        if (key != null && !place.isDismissed()) {
            warmer.lost(key);
        }
    }

    private void remove(SandboxId id) {
        host.discard(id);
        places.coldGone(id);
        store.removed(id);
    }

    private void endWarm(List<Place> held) {
        held.forEach(Place::dismiss);
        host.end(held.stream().map(place -> place.id).toList());
        held.forEach(Place::awaitReleased);
    }
}
