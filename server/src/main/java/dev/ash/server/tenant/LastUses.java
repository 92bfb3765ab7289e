package dev.ash.server.tenant;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The last use of each key since the start; stored now and then, never by a request. */
final class LastUses {
    private final ApiKeyStore store;
    private final Map<String, Long> latest = new ConcurrentHashMap<>();
    private final Map<String, Long> stored = new HashMap<>(); // guarded by this

    LastUses(ApiKeyStore store) {
        this.store = store;
    }

    void used(String id, long now) {
        latest.put(id, now);
    }

    Optional<Long> of(String id) {
        return Optional.ofNullable(latest.get(id));
    }

    void remove(String id) {
        latest.remove(id);
    }

    synchronized void store() {
        var changed = new HashMap<>(latest);
        changed.remove(ApiKeys.ENVIRONMENT);
        changed.entrySet().removeAll(stored.entrySet());
        if (!changed.isEmpty()) {
            store.used(changed);
            stored.putAll(changed);
            stored.keySet().retainAll(latest.keySet());
        }
    }
}
