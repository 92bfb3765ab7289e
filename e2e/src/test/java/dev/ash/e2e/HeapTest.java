package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server with little heap and one tenant that tries to use all of it: the server stays up, and
 * every request of another tenant is answered correctly. {@code ash.heap.seconds} says for how
 * long; with {@code ash.heap.compare} the other tenant's latency is compared with that on a quiet
 * server, which needs a machine that does nothing else.
 */
@Busy
class HeapTest {
    private static final Duration LENGTH =
            Duration.ofSeconds(Integer.getInteger("ash.heap.seconds", 60));
    private static final Duration LONGEST = Duration.ofMinutes(3);
    private static final int MOST_SLOWER = 3;

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void oneTenantCannotExhaustTheHeapOfAllOthers() throws Exception {
        var environment = Map.of("ASH_HEAP_MB", "256");
        try (var server = AshServer.startBare(environment, TestFolder.create(), List.of());
                var other = new HeapVictim(server);
                var hostile = new HeapAttack(server)) {
            boolean isCompared = Boolean.getBoolean("ash.heap.compare");
            var quiet =
                    isCompared ? other.workFor(LENGTH.dividedBy(5)) : Map.<String, Duration>of();
            hostile.start();
            var loaded = other.workFor(LENGTH);
            long end = System.nanoTime() + LONGEST.toNanos();
            while (!hostile.counts().keySet().containsAll(HeapAttack.KINDS)
                    && System.nanoTime() < end) {
                other.workFor(LENGTH.dividedBy(10)); // a slow machine has not tried all of them
            }
            hostile.stop();

            assertThat(server.process().isAlive()).as(server::output).isTrue();
            assertThat(server.output()).doesNotContain("OutOfMemoryError");
            assertThat(other.failures()).as("failures of the other tenant").isEmpty();
            assertThat(hostile.failures()).as("answers that are not documented").isEmpty();
            assertThat(hostile.counts().keySet())
                    .as("%s", hostile.counts())
                    .containsAll(HeapAttack.KINDS);
            System.out.printf(
                    "heap: %s; other tenant, p99: %s %s%n", hostile.counts(), quiet, loaded);
            quiet.forEach(
                    (kind, p99) ->
                            assertThat(loaded.get(kind))
                                    .as("p99 of %s, quiet: %s", kind, p99)
                                    .isLessThanOrEqualTo(p99.multipliedBy(MOST_SLOWER)));
        }
    }
}
