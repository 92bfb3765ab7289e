package dev.ash.server.store;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** One lock a key, made when needed and forgotten when nobody holds it or waits for it. */
public final class KeyedLocks<K> {
    private final ConcurrentHashMap<K, Entry> entries = new ConcurrentHashMap<>();

    private static final class Entry {
        private final ReentrantLock lock = new ReentrantLock();
        private int users; // guarded by the map's compute
    }

    public <T> T holding(K key, Supplier<T> action) {
        var entry = use(key);
        try {
            entry.lock.lock();
            try {
                return action.get();
            } finally {
                entry.lock.unlock();
            }
        } finally {
            leave(key);
        }
    }

    /** The same, but does nothing if another thread holds the lock. */
    public <T> Optional<T> tryHolding(K key, Supplier<T> action) {
        var entry = use(key);
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
            leave(key);
        }
    }

    private Entry use(K key) {
        return entries.compute(
                key,
                (_, present) -> {
                    var used = present == null ? new Entry() : present;
                    used.users++;
                    return used;
                });
    }

    private void leave(K key) {
        entries.compute(key, (_, used) -> used == null || --used.users == 0 ? null : used);
    }
}
