package dev.ash.server.tenant;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Caches recently used API keys by hash, to avoid a database read per request. Entries are valid
 * for one second, after which changes by other processes take effect. Evicts the least recently
 * used entry. Thread-safe.
 */
final class ApiKeyCache {
    static final int MAX = 1024;
    static final Duration VALID = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final Map<String, Cached> entries = // guarded by this
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Cached> eldest) {
                    return size() > MAX;
                }
            };

    private record Cached(ApiKeyRow key, long readAt) {}

    ApiKeyCache(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns the cached key, or reads it if the entry is missing or too old. */
    Optional<ApiKeyRow> find(String hash, ApiKeyStore store) {
        long now = nanoTime.getAsLong(); // before the read, which can return an older state
        synchronized (this) {
            var entry = entries.get(hash);
            if (entry != null && now - entry.readAt() < VALID.toNanos()) {
                return Optional.of(entry.key());
            }
        }
        var row = store.find(hash);
        synchronized (this) {
            // Cache only existing keys, so that guesses cannot evict them.
            row.ifPresentOrElse(
                    key -> entries.put(hash, new Cached(key, now)), () -> entries.remove(hash));
        }
        return row;
    }

    synchronized void remove(String id) {
        entries.values().removeIf(entry -> entry.key().id().equals(id));
    }

    synchronized int size() {
        return entries.size();
    }
}
