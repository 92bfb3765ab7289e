package dev.ash.server.gateway;

import dev.ash.server.http.RateLimit;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** So many wrong tokens a minute from one address, and then none is looked at for a minute. */
final class WrongTokens implements ConnectionContext.FailedAttempts {
    private static final int PER_MINUTE = 10;
    private static final int MOST_ADDRESSES = 10_000;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final RateLimit limit = new RateLimit(PER_MINUTE, System::nanoTime);
    private final Map<String, Long> blocked = new ConcurrentHashMap<>();

    @Override
    public boolean tooMany(String address) {
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
    public void failed(String address) {
        if (!limit.take(address)) {
            if (blocked.size() >= MOST_ADDRESSES) {
                blocked.clear(); // a crowd; the limit itself still holds
            }
            blocked.put(address, System.nanoTime());
        }
    }
}
