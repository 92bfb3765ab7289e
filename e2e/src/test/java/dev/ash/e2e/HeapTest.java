package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks that one hostile tenant cannot exhaust the heap: the server keeps running and answers
 * every request of another tenant correctly. {@code ash.heap.seconds} sets the duration; with
 * {@code ash.heap.compare} the test compares the other tenant's latency with that on an idle
 * server, which requires an otherwise idle machine.
 */
@Busy
class HeapTest {
    private static final Duration DURATION =
            Duration.ofSeconds(Integer.getInteger("ash.heap.seconds", 20));
    private static final Duration MAX_DURATION = Duration.ofMinutes(3);
    private static final int MAX_SLOWDOWN = 3;

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void tenantCannotExhaustHeapForOthers() throws Exception {
        var environment = Map.of("ASH_HEAP_MB", "256");
        try (var server = AshServer.startBare(environment, TestDirectory.create(), List.of());
                var other = new HeapVictim(server);
                var hostile = new HeapAttack(server)) {
            boolean isCompared = Boolean.getBoolean("ash.heap.compare");
            var idle =
                    isCompared ? other.workFor(DURATION.dividedBy(5)) : Map.<String, Duration>of();
            hostile.start();
            var loaded = other.workFor(DURATION);
            long end = System.nanoTime() + MAX_DURATION.toNanos();
            while (!hostile.counts().keySet().containsAll(HeapAttack.KINDS)
                    && System.nanoTime() < end) {
                other.workFor(
                        DURATION.dividedBy(10)); // a slow machine needs more time for all kinds
            }
            hostile.stop();

            assertThat(server.process().isAlive()).as(server::output).isTrue();
            assertThat(server.output()).doesNotContain("OutOfMemoryError");
            assertThat(other.failures()).as("failures of the other tenant").isEmpty();
            assertThat(hostile.failures()).as("undocumented responses").isEmpty();
            assertThat(hostile.counts().keySet())
                    .as("%s", hostile.counts())
                    .containsAll(HeapAttack.KINDS);
            System.out.printf(
                    "heap: %s; other tenant, p99: %s %s%n", hostile.counts(), idle, loaded);
            idle.forEach(
                    (kind, p99) ->
                            assertThat(loaded.get(kind))
                                    .as("p99 of %s, idle: %s", kind, p99)
                                    .isLessThanOrEqualTo(p99.multipliedBy(MAX_SLOWDOWN)));
        }
    }
}
