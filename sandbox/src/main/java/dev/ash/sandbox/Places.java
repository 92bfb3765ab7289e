package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.TenantId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Who is in the pool and whether there is room for one more. Everything happens under one monitor,
 * and nothing slow.
 */
final class Places {
    private final int capacity;
    private final ToIntFunction<TenantId> limits;
    private final SandboxStore store;
    private final Map<SandboxId, Place> places = new HashMap<>();
    private final Set<SandboxId> cold;
    private final AtomicLong uses = new AtomicLong();
    private int free; // below zero while more were adopted than there is room for
    private boolean closed;
    private long preWarmHits;
    private long evictions;

    /** {@code limits} is how many sandboxes a tenant may have at the same time. */
    Places(int capacity, ToIntFunction<TenantId> limits, Set<SandboxId> cold, SandboxStore store) {
        this.capacity = capacity;
        this.limits = limits;
        this.cold = new HashSet<>(cold);
        this.store = store;
        this.free = capacity;
    }

    /** A place for a session's sandbox, perhaps without room yet: see {@link #victimFor}. */
    synchronized Place take(TenantId tenant, SandboxId id) {
        requireOpen();
        return add(new Place(id, tenant, null, store, uses::incrementAndGet));
    }

    /** A place for a sandbox that runs already, whatever the capacity. */
    synchronized Place takeRunning(TenantId tenant, SandboxId id) {
        requireOpen();
        var place = add(new Place(id, tenant, null, store, uses::incrementAndGet));
        free--;
        place.hasRoom = true;
        return place;
    }

    /**
     * A place for one more warm sandbox, unless there are so many of its kind. All of them together
     * have a quarter of the room, and nobody has to go for them.
     */
    synchronized Optional<Place> takeWarm(WarmKey key, int count) {
        if (closed
                || free <= 0
                || count(Places::isUnclaimed) >= capacity / 4
                || count(place -> isUnclaimed(place) && key.equals(place.key())) >= count) {
            return Optional.empty();
        }
        var place =
                add(new Place(SandboxId.random(), key.tenant(), key, store, uses::incrementAndGet));
        free--;
        place.hasRoom = true;
        return Optional.of(place);
    }

    /**
     * Empty if the place has room now. Otherwise one that could end for it, whose room then goes to
     * this place and nobody else. Fails if there is none beside those that have refused. A tenant
     * at its own limit can only replace a sandbox of its own; {@link FairShare} says whose sandbox
     * can be replaced when the pool is full.
     */
    synchronized Optional<Place> victimFor(Place heir, Collection<Place> refused) {
        requireOpen();
        if (heir.hasRoom) {
            return Optional.empty();
        }
        boolean atLimit = isAtLimit(heir.tenant);
        if (!atLimit && free > 0) {
            giveRoom(heir);
            return Optional.empty();
        }
        var victim =
                atLimit
                        ? waiting(refused, tenant -> tenant.equals(heir.tenant))
                                .orElseThrow(() -> overLimit(heir.tenant))
                        : unclaimedWarm(refused)
                                .or(() -> fairVictim(heir, refused))
                                .orElseThrow(() -> full(heir.tenant));
        victim.held = true;
        victim.heir = heir;
        return Optional.of(victim);
    }

    private Optional<Place> fairVictim(Place heir, Collection<Place> refused) {
        var share = FairShare.of(capacity, heir.tenant, places.values());
        return share.victims().stream()
                .flatMap(tenant -> waiting(refused, tenant::equals).stream())
                .findFirst();
    }

    private Optional<Place> waiting(Collection<Place> refused, Predicate<TenantId> tenants) {
        return leastUsed(
                place ->
                        place.state() == SandboxState.WAITING
                                && place.isOfSession()
                                && tenants.test(place.tenant)
                                && !refused.contains(place));
    }

    private boolean isAtLimit(TenantId tenant) {
        int limit = limits.applyAsInt(tenant);
        return count(place -> place.isOfSession() && place.tenant.equals(tenant)) >= limit;
    }

    private void giveRoom(Place place) {
        free--;
        place.hasRoom = true;
    }

    private Optional<Place> unclaimedWarm(Collection<Place> refused) {
        return leastUsed(
                place ->
                        place.state() == SandboxState.WARM
                                && isUnclaimed(place)
                                && !refused.contains(place));
    }

    /** The victim stays, or has gone: it is nobody's victim any more. */
    synchronized void spared(Place victim) {
        victim.held = false;
        victim.heir = null;
    }

    synchronized void countEviction() {
        evictions++;
    }

    /** A warm sandbox that from now on nobody else claims or ends. */
    synchronized Optional<Place> holdWarm(WarmKey key) {
        if (closed || isAtLimit(key.tenant())) {
            return Optional.empty();
        }
        var found =
                leastUsed(
                        place ->
                                isUnclaimed(place)
                                        && key.equals(place.key())
                                        && place.state() == SandboxState.WARM);
        found.ifPresent(
                place -> {
                    place.held = true;
                    place.claiming = true;
                });
        return found;
    }

    /** A held one belongs to a session now; false if it has ended in the meantime. */
    synchronized boolean claim(Place place) {
        if (!place.hasRoom) {
            return false;
        }
        place.claimed = true;
        place.held = false;
        preWarmHits++;
        return true;
    }

    /** Warm ones that nobody claims from now on: all but the latest few of each that match. */
    synchronized List<Place> dismissWarm(Predicate<WarmKey> matches, int butLatest) {
        var found =
                places.values().stream()
                        .filter(place -> isUnclaimed(place) && !place.held)
                        .filter(place -> place.key() != null && matches.test(place.key()))
                        .sorted(Comparator.comparingLong(Place::lastUse).reversed())
                        .skip(butLatest)
                        .toList();
        found.forEach(place -> place.held = true);
        return found;
    }

    /** Nothing of it runs: its room is given on. True if nobody ever claimed it. */
    synchronized boolean ended(Place place) {
        if (place.hasRoom) {
            free++;
            place.hasRoom = false;
        }
        var heir = place.heir;
        if (heir != null
                && !heir.hasRoom
                && free > 0
                && places.get(heir.id) == heir
                && !isAtLimit(heir.tenant)) {
            giveRoom(heir);
        }
        return isUnclaimed(place);
    }

    /** After it has ended, and after its files are gone if nobody wants them. */
    synchronized void remove(Place place) {
        places.remove(place.id, place);
        if (!isUnclaimed(place) && place.hasFiles) {
            cold.add(place.id);
        }
    }

    synchronized Optional<Place> find(SandboxId id) {
        return Optional.ofNullable(places.get(id));
    }

    synchronized List<Place> close() {
        closed = true;
        return List.copyOf(places.values());
    }

    synchronized void getsFiles(Place place) {
        place.hasFiles = true;
    }

    synchronized void coldGone(SandboxId id) {
        cold.remove(id);
    }

    synchronized void coldCame(SandboxId id) {
        cold.add(id);
    }

    synchronized PoolStats stats() {
        int roomy = count(_ -> true);
        return new PoolStats(
                cold.size() + roomy,
                cold.size(),
                count(place -> place.state() == SandboxState.WARMING),
                count(place -> place.state() == SandboxState.WARM),
                count(place -> place.state() == SandboxState.WAITING),
                count(place -> place.state() == SandboxState.RUNNING),
                capacity,
                preWarmHits,
                evictions);
    }

    private Place add(Place place) {
        if (places.containsKey(place.id)) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    "Sandbox %s runs or starts already.".formatted(place.id));
        }
        places.put(place.id, place);
        place.hasFiles = cold.remove(place.id);
        return place;
    }

    private Optional<Place> leastUsed(Predicate<Place> matches) {
        return places.values().stream()
                .filter(place -> place.hasRoom && !place.held)
                .filter(matches)
                .min(Comparator.comparingLong(Place::lastUse));
    }

    private static boolean isUnclaimed(Place place) {
        return place.key() != null && !place.claimed;
    }

    private int count(Predicate<Place> matches) {
        return (int)
                places.values().stream()
                        .filter(place -> place.hasRoom && matches.test(place))
                        .count();
    }

    private void requireOpen() {
        if (closed) {
            throw new ApiException(
                    ErrorCode.SHUTTING_DOWN, "The server is shutting down; it starts no sandbox.");
        }
    }

    private ApiException overLimit(TenantId tenant) {
        return new ApiException(
                ErrorCode.QUOTA_EXCEEDED,
                "The tenant has %d sandboxes in use, its limit (ASH_TENANT_MAX_SANDBOXES). Wait for a turn to end, end or stop a session, or ask the operator to raise the limit."
                        .formatted(limits.applyAsInt(tenant)));
    }

    /** An idle session makes room automatically, so only the end of a turn or a session helps. */
    private ApiException full(TenantId tenant) {
        boolean hasOwn = count(place -> place.isOfSession() && place.tenant.equals(tenant)) > 0;
        return new ApiException(
                ErrorCode.CAPACITY_REACHED,
                "All %d sandboxes are in use%s. Try again when a turn has ended, %sor ask the operator to raise ASH_MAX_SANDBOXES."
                        .formatted(
                                capacity,
                                hasOwn ? "" : " by others",
                                hasOwn ? "interrupt a turn, stop a session, " : ""));
    }
}
