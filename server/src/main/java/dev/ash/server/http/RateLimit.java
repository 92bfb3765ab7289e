package dev.ash.server.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * So many a minute for everyone, each with a bucket of their own that refills steadily. Only so
 * many buckets are kept; the one that was asked for longest ago goes first.
 */
public final class RateLimit {
    private static final int KEPT = 10_000;
    private static final double MINUTE = Duration.ofMinutes(1).toNanos();

    private final int perMinute;
    private final LongSupplier nanoTime;
    private final Map<String, Bucket> buckets = // guarded by this
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                    return size() > KEPT;
                }
            };

    private static final class Bucket {
        private double left;
        private long at;
    }

    /** Zero a minute means that there is no limit. */
    public RateLimit(int perMinute, LongSupplier nanoTime) {
        this.perMinute = perMinute;
        this.nanoTime = nanoTime;
    }

    /** Takes one; false if there is none left. */
    public boolean take(String who) {
        return perMinute == 0 || takeOne(who);
    }

    private synchronized boolean takeOne(String who) {
        long now = nanoTime.getAsLong();
        var bucket = buckets.computeIfAbsent(who, _ -> full(now));
        bucket.left = Math.min(perMinute, bucket.left + (now - bucket.at) * perMinute / MINUTE);
        bucket.at = now;
        if (bucket.left < 1) {
            return false;
        }
        bucket.left -= 1;
        return true;
    }

    private Bucket full(long now) {
        var bucket = new Bucket();
        bucket.left = perMinute;
        bucket.at = now;
        return bucket;
    }
}
