package dev.ash.pair.mcp;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Limits how often a peer can send messages, to slow down endless exchanges of messages. */
final class SendRateLimiter {
    private final int burst;
    private final long nanosPerMessage;
    private final LongSupplier nanoTime;
    private long available;
    private long lastRefill;

    /** Allows bursts of {@code burst} messages, and as many messages per period. */
    SendRateLimiter(int burst, Duration period, LongSupplier nanoTime) {
        this.burst = burst;
        this.nanosPerMessage = period.toNanos() / burst;
        this.nanoTime = nanoTime;
        this.available = burst;
        this.lastRefill = nanoTime.getAsLong();
    }

    synchronized void acquire() {
        long refill = (nanoTime.getAsLong() - lastRefill) / nanosPerMessage;
        available = Math.min(burst, available + refill);
        lastRefill += refill * nanosPerMessage;
        if (available == 0) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "You have sent %d messages in a short time; continue your work, and send again after %d s only if you have new information"
                            .formatted(burst, Math.max(1, nanosPerMessage / 1_000_000_000)));
        }
        available--;
    }
}
