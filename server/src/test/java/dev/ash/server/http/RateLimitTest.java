package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {
    private final AtomicLong now = new AtomicLong();

    private RateLimit limit(int perMinute) {
        return new RateLimit(perMinute, now::get);
    }

    @Test
    void refillsSeparateBucketPerKey() {
        var limit = limit(3);
        for (int i = 0; i < 3; i++) {
            assertThat(limit.tryAcquire("a")).isTrue();
        }
        assertThat(limit.tryAcquire("a")).isFalse();
        assertThat(limit.tryAcquire("b")).isTrue();

        now.addAndGet(Duration.ofSeconds(20).toNanos());

        assertThat(limit.tryAcquire("a")).isTrue();
        assertThat(limit.tryAcquire("a")).isFalse();
    }

    @Test
    void zeroMeansUnlimited() {
        var limit = limit(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(limit.tryAcquire("a")).isTrue();
        }
    }

    @Test
    void boundsNumberOfBuckets() {
        var limit = limit(1);
        assertThat(limit.tryAcquire("first")).isTrue();
        for (int i = 0; i < 20_000; i++) {
            limit.tryAcquire("other " + i);
        }
        assertThat(limit.tryAcquire("first"))
                .as("evicted, so it starts with a full bucket")
                .isTrue();
    }
}
