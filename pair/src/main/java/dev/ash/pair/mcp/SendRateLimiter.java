package dev.ash.pair.mcp;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.function.LongSupplier;

/** How often a peer may write, so that two that thank each other for ever are slowed down. */
final class SendRateLimiter {
    private final int burst;
    private final long nanosEach;
    private final LongSupplier nanoTime;
    private long left;
    private long since;

    /** So many at once, and as many again in each such period. */
    SendRateLimiter(int burst, Duration period, LongSupplier nanoTime) {
        this.burst = burst;
        this.nanosEach = period.toNanos() / burst;
        this.nanoTime = nanoTime;
        this.left = burst;
        this.since = nanoTime.getAsLong();
    }

    synchronized void take() {
        long earned = (nanoTime.getAsLong() - since) / nanosEach;
        left = Math.min(burst, left + earned);
        since += earned * nanosEach;
        if (left == 0) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "You have written %d messages in a short time; do some work, and write again in %d s only if there is something new to say"
                            .formatted(burst, Math.max(1, nanosEach / 1_000_000_000)));
        }
        left--;
    }
}
