package dev.ash.server.store;

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
        var entry =
                entries.compute(
                        key,
                        (_, present) -> {
                            var used = present == null ? new Entry() : present;
                            used.users++;
                            return used;
                        });
        entry.lock.lock();
        try {
            return action.get();
        } finally {
            entry.lock.unlock();
            entries.compute(key, (_, used) -> used == null || --used.users == 0 ? null : used);
        }
    }
}
