package dev.ash.server.device;

import dev.ash.protocol.ApiException;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Validates the requested expiry of the token of a new device. */
final class TokenExpiry {
    private static final int MAX_DAYS = 3650;

    private final Clock clock;

    TokenExpiry(Clock clock) {
        this.clock = clock;
    }

    /**
     * Returns the expiry in epoch milliseconds; null, for no expiry, if both arguments are null.
     */
    @Nullable Long resolve(@Nullable Integer days, @Nullable String instant) {
        if (days != null && instant != null) {
            throw ApiException.invalid(
                    "expiresInDays", "cannot be combined with tokenExpiresAt; send one of them");
        }
        long now = clock.millis();
        if (days != null) {
            if (days < 1 || days > MAX_DAYS) {
                throw ApiException.invalid("expiresInDays", "must be from 1 to " + MAX_DAYS);
            }
            return now + Duration.ofDays(days).toMillis();
        }
        return instant == null ? null : parseFuture(instant, now);
    }

    private static long parseFuture(String instant, long now) {
        try {
            long at = Instant.parse(instant).toEpochMilli();
            if (at > now && at <= now + Duration.ofDays(MAX_DAYS).toMillis()) {
                return at;
            }
        } catch (DateTimeException | ArithmeticException e) {
            // reported below
        }
        throw ApiException.invalid(
                "tokenExpiresAt",
                "must be a time in the future, at most %d days from now, like 2030-01-31T00:00:00Z"
                        .formatted(MAX_DAYS));
    }
}
