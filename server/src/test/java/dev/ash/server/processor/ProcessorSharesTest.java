package dev.ash.server.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ProcessorSharesTest {
    private final AtomicLong now = new AtomicLong();
    private final ProcessorShares shares = new ProcessorShares(4, now::get);

    /** A CPU-bound request that runs until {@link #end}. */
    private final class Running {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final Thread thread;

        private Running(String tenant) {
            thread = Thread.ofVirtual().start(() -> shares.compute(tenant, this::run));
        }

        private boolean run() {
            begun.countDown();
            try {
                return end.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private boolean hasBegun() {
            return begun.getCount() == 0;
        }

        private Running awaitBegin() throws InterruptedException {
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            return this;
        }

        private void awaitQueued() {
            while (thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }

        private void end() throws InterruptedException {
            end.countDown();
            thread.join();
        }
    }

    @Test
    void singleTenantUsesAllProcessors() throws Exception {
        shares.recordActivity("one");
        var running = new ArrayList<Running>();
        for (int i = 0; i < 4; i++) {
            running.add(new Running("one").awaitBegin());
        }
        var fifth = new Running("one");
        fifth.awaitQueued();
        assertThat(fifth.hasBegun()).isFalse();

        running.getFirst().end();

        fifth.awaitBegin().end();
        for (var each : running) {
            each.end();
        }
    }

    @Test
    void tenantUsesHalfWhileAnotherIsActive() throws Exception {
        shares.recordActivity("other");
        shares.recordActivity("one");
        var first = new Running("one").awaitBegin();
        var second = new Running("one").awaitBegin();
        var third = new Running("one");
        third.awaitQueued();
        assertThat(third.hasBegun()).isFalse();
        new Running("other").awaitBegin().end(); // the other tenant does not wait

        now.addAndGet(ProcessorShares.ACTIVE_NANOS);
        var fourth = new Running("one");
        fourth.awaitQueued(); // does not overtake the third
        first.end();

        third.awaitBegin();
        fourth.awaitBegin();
        second.end();
        third.end();
        fourth.end();
    }

    @Test
    void waitingRequestReleasesItsShare() throws Exception {
        var single = new ProcessorShares(1, now::get);
        single.compute(
                "one",
                () ->
                        ProcessorShares.await(
                                () -> {
                                    var other =
                                            Thread.ofVirtual()
                                                    .start(() -> single.compute("one", () -> 0));
                                    other.join();
                                    return 0;
                                }));
        single.compute(
                "one",
                () -> {
                    ProcessorShares.release();
                    var other = Thread.ofVirtual().start(() -> single.compute("one", () -> 0));
                    other.join();
                    return ProcessorShares.await(() -> 0);
                });
        assertThatThrownBy(
                        () ->
                                single.compute(
                                        "one",
                                        () ->
                                                ProcessorShares.await(
                                                        () -> {
                                                            throw new IllegalStateException("x");
                                                        })))
                .hasMessage("x");
        assertThat(single.<Integer, RuntimeException>compute("one", () -> 7)).isEqualTo(7);
    }

    @Test
    void enforcesLimitAndCompletesAllRequests() throws Exception {
        var running = new AtomicInteger[] {new AtomicInteger(), new AtomicInteger()};
        var max = new AtomicInteger();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 40; i++) {
            int tenant = i % 2;
            var random = new Random(i);
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int n = 0; n < 200; n++) {
                                            var name = "tenant " + tenant;
                                            shares.recordActivity(name);
                                            shares.compute(
                                                    name,
                                                    () ->
                                                            computeAndWait(
                                                                    running[tenant], max, random));
                                        }
                                    }));
        }
        for (var thread : threads) {
            thread.join();
        }
        assertThat(max.get()).isBetween(1, 4);
        assertThat(running[0].get() + running[1].get()).isZero();
    }

    private static int computeAndWait(AtomicInteger running, AtomicInteger max, Random random) {
        max.accumulateAndGet(running.incrementAndGet(), Math::max);
        Thread.yield();
        if (random.nextBoolean()) {
            running.decrementAndGet();
            ProcessorShares.await(
                    () -> {
                        Thread.yield();
                        return 0;
                    });
            max.accumulateAndGet(running.incrementAndGet(), Math::max);
        }
        running.decrementAndGet();
        return 0;
    }
}
