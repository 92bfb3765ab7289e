package dev.ash.sandbox;

import dev.ash.protocol.TenantId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides whose waiting sandboxes can be evicted when the pool is full. The tenants that have
 * sandboxes or request one share the capacity equally. A tenant can always evict a sandbox of its
 * own. It can evict one of another tenant only if that tenant has more than its share, and more
 * than the requester.
 *
 * @param capacity maximum number of running sandboxes
 * @param requester the tenant that requests another sandbox
 * @param held number of sandboxes of each tenant
 */
record FairShare(int capacity, TenantId requester, Map<TenantId, Integer> held) {
    /** Counts the sandboxes of each tenant; unclaimed warm ones belong to none. */
    static FairShare of(int capacity, TenantId requester, Collection<PoolEntry> entries) {
        var held = new HashMap<TenantId, Integer>();
        held.put(requester, 0);
        for (var entry : entries) {
            if (entry.admitted && entry.belongsToSession()) {
                held.merge(entry.tenant, 1, Integer::sum);
            }
        }
        return new FairShare(capacity, requester, held);
    }

    /** Returns the tenants whose sandboxes can be evicted, largest holders first. */
    List<TenantId> victims() {
        return held.entrySet().stream()
                .filter(entry -> entry.getKey().equals(requester) || isAbove(entry.getValue()))
                .sorted(
                        Map.Entry.<TenantId, Integer>comparingByValue()
                                .reversed()
                                .thenComparing(
                                        Map.Entry::getKey, Comparator.comparing(TenantId::value)))
                .map(Map.Entry::getKey)
                .toList();
    }

    private boolean isAbove(int count) {
        return count * held.size() > capacity && count > held.getOrDefault(requester, 0);
    }
}
