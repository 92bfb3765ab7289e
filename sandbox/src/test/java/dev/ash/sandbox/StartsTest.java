package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StartsTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void oneMoreThanMayStartWaitsUntilAnotherHasStarted() throws Exception {
        var starts = new Starts(2, LONG);
        var first = starts.begin();
        starts.begin();

        var third = CompletableFuture.supplyAsync(starts::begin);
        await().until(() -> starts.waiting() == 1);
        assertThat(third).isNotCompleted();

        first.close();
        assertThat(third.get(60, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void oneThatTakesLongDoesNotKeepOthersFromStarting() {
        var starts = new Starts(1, Duration.ofMillis(50));

        starts.begin();

        assertThat(starts.begin()).isNotNull();
    }

    @Test
    void nobodyIsLetInTwiceForTheSameStart() {
        var starts = new Starts(1, Duration.ofMillis(50));
        var slow = starts.begin();
        starts.begin().close(); // so slow counts no more
        slow.close();
        slow.close();

        assertThat(starts.free()).isEqualTo(1);
    }
}
