package dev.ash.server.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A token-bucket rate limit per key. Retains a bounded number of buckets and evicts the least
 * recently used one.
 */
public final class RateLimit {
    private static final int MAX_BUCKETS = 10_000;
    private static final double MINUTE = Duration.ofMinutes(1).toNanos();

    private final int perMinute;
    private final LongSupplier nanoTime;
    private final Map<String, Bucket> buckets = // guarded by this
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                    return size() > MAX_BUCKETS;
                }
            };

    private static final class Bucket {
        private double tokens;
        private long updatedAt;
    }

    /** A limit of 0 means unlimited. */
    public RateLimit(int perMinute, LongSupplier nanoTime) {
        this.perMinute = perMinute;
        this.nanoTime = nanoTime;
    }

    /** Returns false if the limit of the key is exceeded. */
    public boolean tryAcquire(String key) {
        return perMinute == 0 || acquireToken(key);
    }

    private synchronized boolean acquireToken(String key) {
        long now = nanoTime.getAsLong();
        var bucket = buckets.computeIfAbsent(key, _ -> full(now));
        bucket.tokens =
                Math.min(perMinute, bucket.tokens + (now - bucket.updatedAt) * perMinute / MINUTE);
        bucket.updatedAt = now;
        if (bucket.tokens < 1) {
            return false;
        }
        bucket.tokens -= 1;
        return true;
    }

    private Bucket full(long now) {
        var bucket = new Bucket();
        bucket.tokens = perMinute;
        bucket.updatedAt = now;
        return bucket;
    }
}
