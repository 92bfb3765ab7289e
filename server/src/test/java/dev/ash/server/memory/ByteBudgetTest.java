package dev.ash.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ByteBudget budget = new ByteBudget("tests", 100);

    @Test
    void limitsOwnerToHalf() throws InterruptedException {
        var first = budget.acquire("a", 30, LONG);

        assertThatThrownBy(() -> budget.acquire("a", 21, Duration.ZERO))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CAPACITY_REACHED))
                .hasMessageContaining("no memory left for tests of this tenant")
                .hasMessageContaining("try again");
        try (var _ = budget.acquire("a", 20, Duration.ZERO);
                var _ = budget.acquire("b", 50, Duration.ZERO)) {
            assertThat(budget.free()).isZero();
        }
        first.close();
        first.close();
        assertThat(budget.free()).isEqualTo(100);
    }

    @Test
    void reducesLargeRequestsToShare() throws InterruptedException {
        try (var _ = budget.acquire("a", Long.MAX_VALUE, Duration.ZERO)) {
            assertThat(budget.free()).isEqualTo(50);
        }
        assertThat(budget.free()).isEqualTo(100);
    }

    @Test
    void doesNotBlockOtherOwners() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = budget.acquire("a", 50, LONG);
            var waits = threads.submit(() -> budget.acquire("a", 50, LONG));

            budget.acquire("b", 50, LONG).close();

            assertThat(waits.isDone()).isFalse();
            all.close();
            waits.get(30, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void grantsNextRequestAfterShrinking() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var lease = budget.acquire("a", 50, LONG)) {
            var waits = threads.submit(() -> budget.acquire("a", 40, LONG));

            lease.shrinkTo(10);

            waits.get(30, TimeUnit.SECONDS).close();
            assertThat(budget.free()).isEqualTo(90);
        }
    }

    @Test
    void releasesBytesOfInterruptedWaiter() throws Exception {
        try (var _ = budget.acquire("a", 50, LONG)) {
            var interrupted = new AtomicBoolean();
            var waits =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            budget.acquire("a", 50, LONG);
                                        } catch (InterruptedException e) {
                                            interrupted.set(true);
                                        }
                                    });
            waits.interrupt();
            waits.join();
            assertThat(interrupted).isTrue();
        }
        assertThat(budget.free()).isEqualTo(100);
    }

    /** For any requests: limits are enforced, all are granted, and all bytes are released. */
    @Property(tries = 50)
    void enforcesLimitsForAnyRequests(
            @ForAll long seed, @ForAll @IntRange(min = 2, max = 500) int of) throws Exception {
        var bounded = new ByteBudget("tests", of);
        var held = new HashMap<String, AtomicLong>();
        List.of("a", "b", "c").forEach(owner -> held.put(owner, new AtomicLong()));
        var total = new AtomicLong();
        var random = new Random(seed);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < 40; i++) {
                var owner = "abc".substring(random.nextInt(3)).substring(0, 1);
                int bytes = random.nextInt(of + 1);
                running.add(
                        threads.submit(
                                () -> {
                                    try (var _ = bounded.acquire(owner, bytes, LONG)) {
                                        long counted = Math.min(bytes, bounded.share());
                                        assertThat(held.get(owner).addAndGet(counted))
                                                .isLessThanOrEqualTo(bounded.share());
                                        assertThat(total.addAndGet(counted))
                                                .isLessThanOrEqualTo(of);
                                        Thread.yield();
                                        total.addAndGet(-counted);
                                        held.get(owner).addAndGet(-counted);
                                    }
                                    return null;
                                }));
            }
            for (var each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(bounded.free()).isEqualTo(of);
    }
}
