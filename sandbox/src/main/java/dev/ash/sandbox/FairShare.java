package dev.ash.sandbox;

import dev.ash.protocol.TenantId;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose waiting sandboxes can be replaced when the pool is full. The capacity is shared equally by
 * the tenants that have sandboxes or ask for one. A tenant can always replace a sandbox of its own;
 * it can replace one of another tenant only if that one has more than its share, and more than the
 * tenant that asks.
 *
 * @param capacity how many sandboxes may run
 * @param asking the tenant that asks for one more
 * @param held how many each tenant has
 */
record FairShare(int capacity, TenantId asking, Map<TenantId, Integer> held) {
    /** Sandboxes that are only kept warm belong to nobody yet. */
    static FairShare of(int capacity, TenantId asking, Collection<Place> places) {
        var held = new HashMap<TenantId, Integer>();
        held.put(asking, 0);
        for (var place : places) {
            if (place.hasRoom && place.isOfSession()) {
                held.merge(place.tenant, 1, Integer::sum);
            }
        }
        return new FairShare(capacity, asking, held);
    }

    /** The tenants whose sandboxes can be replaced, those that have the most first. */
    List<TenantId> victims() {
        return held.entrySet().stream()
                .filter(entry -> entry.getKey().equals(asking) || isAbove(entry.getValue()))
                .sorted(
                        Map.Entry.<TenantId, Integer>comparingByValue()
                                .reversed()
                                .thenComparing(
                                        Map.Entry::getKey, Comparator.comparing(TenantId::value)))
                .map(Map.Entry::getKey)
                .toList();
    }

    private boolean isAbove(int count) {
        return count * held.size() > capacity && count > held.getOrDefault(asking, 0);
    }
}
