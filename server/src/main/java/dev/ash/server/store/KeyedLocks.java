package dev.ash.server.store;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** One lock per key, created on demand and removed when no thread holds or awaits it. */
public final class KeyedLocks<K> {
    private final ConcurrentHashMap<K, Entry> entries = new ConcurrentHashMap<>();

    private static final class Entry {
        private final ReentrantLock lock = new ReentrantLock();
        private int users; // guarded by the map's compute
    }

    /** Runs the action while holding the lock of the key. */
    public <T> T holding(K key, Supplier<T> action) {
        var entry = acquireEntry(key);
        try {
            entry.lock.lock();
            try {
                return action.get();
            } finally {
                entry.lock.unlock();
            }
        } finally {
            releaseEntry(key);
        }
    }

    /** Runs the action unless another thread holds the lock; then returns empty. */
    public <T> Optional<T> tryHolding(K key, Supplier<T> action) {
        var entry = acquireEntry(key);
        try {
            if (!entry.lock.tryLock()) {
                return Optional.empty();
            }
            try {
                return Optional.of(action.get());
            } finally {
                entry.lock.unlock();
            }
        } finally {
            releaseEntry(key);
        }
    }

    private Entry acquireEntry(K key) {
        return entries.compute(
                key,
                (_, present) -> {
                    var used = present == null ? new Entry() : present;
                    used.users++;
                    return used;
                });
    }

    private void releaseEntry(K key) {
        entries.compute(key, (_, used) -> used == null || --used.users == 0 ? null : used);
    }
}
