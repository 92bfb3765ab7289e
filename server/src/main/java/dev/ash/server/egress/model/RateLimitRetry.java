package dev.ash.server.egress.model;

import dev.ash.server.egress.http.ResponseFilter;
import dev.ash.server.egress.http.ResponseHead;
import dev.ash.server.egress.model.request.RequestFormat;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides whether one call that the model API rejected with 429 is repeated, and when. Repeats only
 * if the response states a short time: without it the quota of the key may be exhausted. Not
 * thread-safe.
 */
final class RateLimitRetry implements ResponseFilter {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int MAX_REPEATS = 5;
    private static final Duration MAX_TOTAL_DELAY = Duration.ofSeconds(60);
    private static final BigDecimal MAX_HEADER = BigDecimal.valueOf(1_000_000);

    private final boolean enabled;
    private int repeats;
    private Duration nextDelay = Duration.ZERO;
    private Duration totalDelay = Duration.ZERO;

    private RateLimitRetry(boolean enabled) {
        this.enabled = enabled;
    }

    /**
     * Codex, the client of the Responses API, does not repeat such calls. The clients of the other
     * formats do, and report it to their users.
     */
    static RateLimitRetry of(RequestFormat format) {
        return new RateLimitRetry(format == RequestFormat.OPENAI_RESPONSES);
    }

    @Override
    public boolean withholds(ResponseHead response) {
        var delay = delay(response);
        nextDelay = delay.orElse(Duration.ZERO);
        return delay.isPresent();
    }

    private Optional<Duration> delay(ResponseHead response) {
        if (!enabled || response.status() != TOO_MANY_REQUESTS || repeats >= MAX_REPEATS) {
            return Optional.empty();
        }
        return number(response, "retry-after-ms")
                .or(() -> number(response, "retry-after").map(value -> value.movePointRight(3)))
                .map(millis -> Duration.ofMillis(millis.longValue()))
                .filter(delay -> totalDelay.plus(delay).compareTo(MAX_TOTAL_DELAY) <= 0);
    }

    /** Returns the delay after the response that was withheld, which the caller must wait. */
    Duration takeDelay() {
        repeats++;
        totalDelay = totalDelay.plus(nextDelay);
        return nextDelay;
    }

    /** Returns the value of a header; empty if it is a date or not valid. */
    private static Optional<BigDecimal> number(ResponseHead response, String header) {
        var values = response.headers().values(header);
        try {
            return values.stream()
                    .findFirst()
                    .filter(value -> value.length() < 20)
                    .map(BigDecimal::new)
                    .filter(value -> value.signum() >= 0 && value.compareTo(MAX_HEADER) < 0);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
