package dev.ash.server.tenant;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Recently used keys by hash, so that not every request reads the database. An entry is valid for a
 * second: a change that another process makes is effective after that. The least recently used
 * entry is evicted. Thread-safe.
 */
final class KnownKeys {
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

    KnownKeys(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Reads the entry, or reads it again where it is missing or too old. */
    Optional<ApiKeyRow> find(String hash, ApiKeyStore store) {
        long now = nanoTime.getAsLong(); // before the read, which may see an older state
        synchronized (this) {
            var entry = entries.get(hash);
            if (entry != null && now - entry.readAt() < VALID.toNanos()) {
                return Optional.of(entry.key());
            }
        }
        var row = store.find(hash);
        synchronized (this) {
            // Only valid keys are kept: guesses cannot evict them.
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
