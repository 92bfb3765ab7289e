package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StartLimiterTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void blocksStartsBeyondTheLimit() throws Exception {
        var limiter = new StartLimiter(2, LONG);
        var first = limiter.acquire();
        limiter.acquire();

        var third = CompletableFuture.supplyAsync(limiter::acquire);
        await().until(() -> limiter.waiting() == 1);
        assertThat(third).isNotCompleted();

        first.close();
        assertThat(third.get(60, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void ignoresSlowStarts() {
        var limiter = new StartLimiter(1, Duration.ofMillis(50));

        limiter.acquire();

        assertThat(limiter.acquire()).isNotNull();
    }

    @Test
    void releasesEachPermitOnce() {
        var limiter = new StartLimiter(1, Duration.ofMillis(50));
        var slow = limiter.acquire();
        limiter.acquire().close(); // the slow permit has expired
        slow.close();
        slow.close();

        assertThat(limiter.available()).isEqualTo(1);
    }
}
