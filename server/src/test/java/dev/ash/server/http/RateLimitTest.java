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
    void eachHasTheirOwnAndItRefills() {
        var limit = limit(3);
        for (int i = 0; i < 3; i++) {
            assertThat(limit.take("a")).isTrue();
        }
        assertThat(limit.take("a")).isFalse();
        assertThat(limit.take("b")).isTrue();

        now.addAndGet(Duration.ofSeconds(20).toNanos());

        assertThat(limit.take("a")).isTrue();
        assertThat(limit.take("a")).isFalse();
    }

    @Test
    void zeroIsNoLimit() {
        var limit = limit(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(limit.take("a")).isTrue();
        }
    }

    @Test
    void manyStrangersDoNotFillTheMemory() {
        var limit = limit(1);
        assertThat(limit.take("first")).isTrue();
        for (int i = 0; i < 20_000; i++) {
            limit.take("stranger " + i);
        }
        assertThat(limit.take("first")).as("forgotten, so it begins anew").isTrue();
    }
}
