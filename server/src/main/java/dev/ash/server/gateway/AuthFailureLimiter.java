package dev.ash.server.gateway;

import dev.ash.server.http.RateLimit;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Blocks an address for one minute after more than ten failed authentications in a minute. */
final class AuthFailureLimiter implements ConnectionContext.AuthFailures {
    private static final int MAX_PER_MINUTE = 10;
    private static final int MAX_ADDRESSES = 10_000;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final RateLimit limit = new RateLimit(MAX_PER_MINUTE, System::nanoTime);
    private final Map<String, Long> blocked = new ConcurrentHashMap<>();

    @Override
    public boolean isBlocked(String address) {
        var since = blocked.get(address);
        if (since == null) {
            return false;
        }
        if (System.nanoTime() - since > MINUTE) {
            blocked.remove(address);
            return false;
        }
        return true;
    }

    @Override
    public void recordFailure(String address) {
        if (!limit.tryAcquire(address)) {
            if (blocked.size() >= MAX_ADDRESSES) {
                blocked.clear(); // bounds memory; the rate limit still applies
            }
            blocked.put(address, System.nanoTime());
        }
    }
}
