package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.store.Housekeeping.Task;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HousekeepingTest {
    private static final Duration NEVER = Duration.ofDays(1);

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void repeatsTasksOnTimer() throws Exception {
        var rounds = new CountDownLatch(3);
        try (var housekeeping =
                new Housekeeping(Duration.ofMillis(1), new Task("a task", rounds::countDown))) {
            housekeeping.start();

            await(rounds);
        }
    }

    @Test
    void runsAtStartAndWhenWoken() throws Exception {
        var rounds = new CyclicBarrier(2);
        var count = new AtomicInteger();
        var task =
                new Task(
                        "a task",
                        () -> {
                            count.incrementAndGet();
                            meet(rounds);
                        });
        try (var housekeeping = new Housekeeping(NEVER, task)) {
            housekeeping.start();
            meet(rounds);
            for (int round = 2; round <= 3; round++) {
                housekeeping.wake();
                meet(rounds);
                assertThat(count).hasValue(round);
            }
        }
    }

    @Test
    void startsAnotherRoundWhenWokenDuringARound() throws Exception {
        var begun = new CountDownLatch(1);
        var woken = new CountDownLatch(1);
        var rounds = new CountDownLatch(2);
        var task =
                new Task(
                        "a task",
                        () -> {
                            begun.countDown();
                            woken.await();
                            rounds.countDown();
                        });
        try (var housekeeping = new Housekeeping(NEVER, task)) {
            housekeeping.start();
            await(begun);
            housekeeping.wake();
            woken.countDown();

            await(rounds);
        }
    }

    private static void meet(CyclicBarrier barrier) throws InterruptedException {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.BrokenBarrierException
                | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void retriesFailedTasksAndRunsOtherTasks() throws Exception {
        var failures = new CountDownLatch(2);
        var others = new CountDownLatch(2);
        try (var housekeeping =
                new Housekeeping(
                        Duration.ofMillis(1),
                        new Task(
                                "a task of a test that fails",
                                () -> {
                                    failures.countDown();
                                    throw new IllegalStateException(
                                            "failure requested by the test");
                                }),
                        new Task("another", others::countDown))) {
            housekeeping.start();

            await(failures);
            await(others);
        }
    }

    @Test
    void closeInterruptsRunningTaskAndWaitsForIt() throws Exception {
        var begun = new CountDownLatch(1);
        var interrupted = new AtomicBoolean();
        var housekeeping =
                new Housekeeping(
                        Duration.ofMillis(1),
                        new Task(
                                "a task",
                                () -> {
                                    begun.countDown();
                                    try {
                                        new CountDownLatch(1).await();
                                    } catch (InterruptedException e) {
                                        interrupted.set(true);
                                        throw e;
                                    }
                                }));
        housekeeping.start();
        await(begun);

        housekeeping.close();

        assertThat(interrupted).isTrue();
        housekeeping.close(); // close is idempotent
    }

    @Test
    void canBeClosedBeforeStart() {
        new Housekeeping(NEVER).close();
    }
}
