package dev.ash.server.tenant;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The last use of each key; stored now and then, never by a request. Thread-safe. */
final class LastUses {
    private final ApiKeyStore store;
    private final Map<String, Long> latest = new ConcurrentHashMap<>();

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

    /** Entries that are stored are dropped: only keys used since the last time are kept. */
    synchronized void store() {
        var uses = new HashMap<>(latest);
        uses.remove(ApiKeys.ENVIRONMENT);
        if (!uses.isEmpty()) {
            store.used(uses);
            uses.forEach(latest::remove);
        }
    }
}
