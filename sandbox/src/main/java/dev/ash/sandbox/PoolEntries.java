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
 * The entries of the pool and its capacity: admits sandboxes and selects victims for eviction. One
 * monitor guards everything; no operation under it blocks.
 */
final class PoolEntries {
    private final int capacity;
    private final ToIntFunction<TenantId> limits;
    private final SandboxStore store;
    private final Map<SandboxId, PoolEntry> entries = new HashMap<>();
    private final Set<SandboxId> cold;
    private final AtomicLong uses = new AtomicLong();
    private int freeCapacity; // negative while more sandboxes were adopted than the capacity
    private boolean closed;
    private long preWarmHits;
    private long evictions;

    /** Creates the table; {@code limits} returns the maximum number of sandboxes of a tenant. */
    PoolEntries(
            int capacity, ToIntFunction<TenantId> limits, Set<SandboxId> cold, SandboxStore store) {
        this.capacity = capacity;
        this.limits = limits;
        this.cold = new HashSet<>(cold);
        this.store = store;
        this.freeCapacity = capacity;
    }

    /** Adds a session's sandbox, possibly not admitted yet: see {@link #victimFor}. */
    synchronized PoolEntry add(TenantId tenant, SandboxId id) {
        requireOpen();
        return add(new PoolEntry(id, tenant, null, store, uses::incrementAndGet));
    }

    /** Adds a sandbox that is already running, even beyond the capacity. */
    synchronized PoolEntry addRunning(TenantId tenant, SandboxId id) {
        requireOpen();
        var entry = add(new PoolEntry(id, tenant, null, store, uses::incrementAndGet));
        freeCapacity--;
        entry.admitted = true;
        return entry;
    }

    /**
     * Adds a warm sandbox, unless there are {@code count} of its kind already. Warm sandboxes use
     * at most a quarter of the capacity and never cause an eviction.
     */
    synchronized Optional<PoolEntry> addWarm(WarmKey key, int count) {
        if (closed
                || freeCapacity <= 0
                || count(PoolEntries::isUnclaimed) >= capacity / 4
                || countWarm(key) >= count) {
            return Optional.empty();
        }
        var entry =
                add(
                        new PoolEntry(
                                SandboxId.random(),
                                key.tenant(),
                                key,
                                store,
                                uses::incrementAndGet));
        freeCapacity--;
        entry.admitted = true;
        return Optional.of(entry);
    }

    /** Returns the number of unclaimed warm sandboxes of a kind. */
    synchronized int countWarm(WarmKey key) {
        return count(entry -> isUnclaimed(entry) && key.equals(entry.key()));
    }

    /**
     * Admits the entry and returns empty, or returns a victim whose capacity is reserved for the
     * entry. Throws if there is no victim besides the refused ones. A tenant at its own limit can
     * evict only a sandbox of its own; {@link FairShare} decides whose sandboxes can be evicted
     * when the pool is full.
     */
    synchronized Optional<PoolEntry> victimFor(PoolEntry successor, Collection<PoolEntry> refused) {
        requireOpen();
        if (successor.admitted) {
            return Optional.empty();
        }
        boolean atLimit = isAtLimit(successor.tenant);
        if (!atLimit && freeCapacity > 0) {
            admit(successor);
            return Optional.empty();
        }
        var victim =
                atLimit
                        ? waiting(refused, tenant -> tenant.equals(successor.tenant))
                                .orElseThrow(() -> overLimit(successor.tenant))
                        : unclaimedWarm(refused)
                                .or(() -> fairVictim(successor, refused))
                                .orElseThrow(() -> full(successor.tenant));
        victim.reserved = true;
        victim.successor = successor;
        return Optional.of(victim);
    }

    private Optional<PoolEntry> fairVictim(PoolEntry successor, Collection<PoolEntry> refused) {
        var share = FairShare.of(capacity, successor.tenant, entries.values());
        return share.victims().stream()
                .flatMap(tenant -> waiting(refused, tenant::equals).stream())
                .findFirst();
    }

    private Optional<PoolEntry> waiting(
            Collection<PoolEntry> refused, Predicate<TenantId> tenants) {
        return leastUsed(
                entry ->
                        entry.state() == SandboxState.WAITING
                                && entry.belongsToSession()
                                && tenants.test(entry.tenant)
                                && !refused.contains(entry));
    }

    private boolean isAtLimit(TenantId tenant) {
        int limit = limits.applyAsInt(tenant);
        return count(entry -> entry.belongsToSession() && entry.tenant.equals(tenant)) >= limit;
    }

    private void admit(PoolEntry entry) {
        freeCapacity--;
        entry.admitted = true;
    }

    private Optional<PoolEntry> unclaimedWarm(Collection<PoolEntry> refused) {
        return leastUsed(
                entry ->
                        entry.state() == SandboxState.WARM
                                && isUnclaimed(entry)
                                && !refused.contains(entry));
    }

    /** Ends the reservation of a victim that was kept or has exited. */
    synchronized void unreserve(PoolEntry victim) {
        victim.reserved = false;
        victim.successor = null;
    }

    synchronized void countEviction() {
        evictions++;
    }

    /** Reserves a warm sandbox: no other thread claims or terminates it. */
    synchronized Optional<PoolEntry> reserveWarm(WarmKey key) {
        if (closed || isAtLimit(key.tenant())) {
            return Optional.empty();
        }
        var found =
                leastUsed(
                        entry ->
                                isUnclaimed(entry)
                                        && key.equals(entry.key())
                                        && entry.state() == SandboxState.WARM);
        found.ifPresent(
                entry -> {
                    entry.reserved = true;
                    entry.beingClaimed = true;
                });
        return found;
    }

    /** Assigns a reserved warm sandbox to a session; returns false if it has exited meanwhile. */
    synchronized boolean claim(PoolEntry entry) {
        if (!entry.admitted) {
            return false;
        }
        entry.claimed = true;
        entry.reserved = false;
        preWarmHits++;
        return true;
    }

    /**
     * Reserves unclaimed warm sandboxes for termination: those that match, except the most recent
     * ones.
     */
    synchronized List<PoolEntry> reserveSurplusWarm(Predicate<WarmKey> matches, int keep) {
        var found =
                entries.values().stream()
                        .filter(entry -> isUnclaimed(entry) && !entry.reserved)
                        .filter(entry -> entry.key() != null && matches.test(entry.key()))
                        .sorted(Comparator.comparingLong(PoolEntry::lastUse).reversed())
                        .skip(keep)
                        .toList();
        found.forEach(entry -> entry.reserved = true);
        return found;
    }

    /** Releases the capacity of a sandbox that has exited; returns true if it was never claimed. */
    synchronized boolean releaseCapacity(PoolEntry entry) {
        if (entry.admitted) {
            freeCapacity++;
            entry.admitted = false;
        }
        var successor = entry.successor;
        if (successor != null
                && !successor.admitted
                && freeCapacity > 0
                && entries.get(successor.id) == successor
                && !isAtLimit(successor.tenant)) {
            admit(successor);
        }
        return isUnclaimed(entry);
    }

    /** Removes an entry after its sandbox has exited and unneeded files are deleted. */
    synchronized void remove(PoolEntry entry) {
        entries.remove(entry.id, entry);
        if (!isUnclaimed(entry) && entry.hasFiles) {
            cold.add(entry.id);
        }
    }

    synchronized Optional<PoolEntry> find(SandboxId id) {
        return Optional.ofNullable(entries.get(id));
    }

    synchronized List<PoolEntry> close() {
        closed = true;
        return List.copyOf(entries.values());
    }

    synchronized void markHasFiles(PoolEntry entry) {
        entry.hasFiles = true;
    }

    synchronized void removeCold(SandboxId id) {
        cold.remove(id);
    }

    synchronized void addCold(SandboxId id) {
        cold.add(id);
    }

    synchronized PoolStats stats() {
        int admitted = count(_ -> true);
        return new PoolStats(
                cold.size() + admitted,
                cold.size(),
                count(entry -> entry.state() == SandboxState.WARMING),
                count(entry -> entry.state() == SandboxState.WARM),
                count(entry -> entry.state() == SandboxState.WAITING),
                count(entry -> entry.state() == SandboxState.RUNNING),
                capacity,
                preWarmHits,
                evictions);
    }

    private PoolEntry add(PoolEntry entry) {
        if (entries.containsKey(entry.id)) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    "Sandbox %s is already running or starting.".formatted(entry.id));
        }
        entries.put(entry.id, entry);
        entry.hasFiles = cold.remove(entry.id);
        return entry;
    }

    private Optional<PoolEntry> leastUsed(Predicate<PoolEntry> matches) {
        return entries.values().stream()
                .filter(entry -> entry.admitted && !entry.reserved)
                .filter(matches)
                .min(Comparator.comparingLong(PoolEntry::lastUse));
    }

    private static boolean isUnclaimed(PoolEntry entry) {
        return entry.key() != null && !entry.claimed;
    }

    private int count(Predicate<PoolEntry> matches) {
        return (int)
                entries.values().stream()
                        .filter(entry -> entry.admitted && matches.test(entry))
                        .count();
    }

    private void requireOpen() {
        if (closed) {
            throw new ApiException(
                    ErrorCode.SHUTTING_DOWN,
                    "The server is shutting down and starts no sandboxes.");
        }
    }

    private ApiException overLimit(TenantId tenant) {
        return new ApiException(
                ErrorCode.QUOTA_EXCEEDED,
                "The tenant has reached its limit of %d sandboxes (ASH_TENANT_MAX_SANDBOXES). Wait for a turn to complete, end or stop a session, or ask the operator to raise the limit."
                        .formatted(limits.applyAsInt(tenant)));
    }

    /** Idle sessions are evicted automatically, so only the end of a turn or a session helps. */
    private ApiException full(TenantId tenant) {
        boolean hasOwn =
                count(entry -> entry.belongsToSession() && entry.tenant.equals(tenant)) > 0;
        return new ApiException(
                ErrorCode.CAPACITY_REACHED,
                "All %d sandboxes are in use%s. Retry when a turn has completed, %sor ask the operator to raise ASH_MAX_SANDBOXES."
                        .formatted(
                                capacity,
                                hasOwn ? "" : " by other tenants",
                                hasOwn ? "interrupt a turn, stop a session, " : ""));
    }
}
