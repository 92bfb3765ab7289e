package dev.ash.server.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.concurrent.KeyedExecutor.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyedExecutorTest {
    private final CountDownLatch blocker = new CountDownLatch(1);

    private void block() {
        await(blocker);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void runsTasksOfKeyInOrderWhileAnotherIsBlocked() {
        var executor = new KeyedExecutor<String>("test", Limits.perKey(1024));
        var done = new CountDownLatch(500);
        List<Integer> order = new ArrayList<>(); // accessed by one thread at a time
        executor.submit("blocked", this::block);

        for (int i = 0; i < 500; i++) {
            int number = i;
            executor.submit(
                    "a",
                    () -> {
                        order.add(number);
                        done.countDown();
                    });
        }

        await(done);
        blocker.countDown();
        assertThat(order).isEqualTo(IntStream.range(0, 500).boxed().toList());
    }

    @Test
    void runsTasksAfterFailedOne() {
        var executor = new KeyedExecutor<String>("test", Limits.perKey(8));
        var done = new CountDownLatch(1);
        executor.submit("a", this::block); // so that the others are queued behind it
        executor.submit(
                "a",
                () -> {
                    throw new IllegalStateException("fails on purpose");
                });
        executor.submit(
                "a",
                () -> {
                    throw new AssertionError("fails on purpose, as an error");
                });
        executor.submit("a", done::countDown);

        blocker.countDown();

        await(done);
    }

    @Test
    void rejectsTasksAboveLimitPerKey() {
        var executor = new KeyedExecutor<String>("test", Limits.perKey(3));

        var accepted =
                IntStream.range(0, 5).mapToObj(_ -> executor.submit("a", this::block)).toList();

        assertThat(accepted).containsExactly(true, true, true, false, false);
        assertThat(executor.submit("b", this::block)).isTrue();
        blocker.countDown();
    }

    @Test
    void rejectsTasksAboveTotalLimit() {
        var executor = new KeyedExecutor<String>("test", Limits.total(2, 3, 100));

        assertThat(executor.submit("a", this::block)).isTrue();
        assertThat(executor.submit("b", this::block)).isTrue();
        assertThat(executor.submit("c", this::block)).as("a third key").isFalse();
        assertThat(executor.submit("a", this::block)).isTrue();
        assertThat(executor.submit("b", this::block)).as("a fourth task").isFalse();
        blocker.countDown();
    }

    @Test
    void rejectsTasksAboveTotalWeight() {
        var executor = new KeyedExecutor<String>("test", Limits.total(8, 8, 100));

        assertThat(executor.submit("a", 60, this::block)).isTrue();
        assertThat(executor.submit("b", 41, this::block)).isFalse();
        assertThat(executor.submit("b", Long.MAX_VALUE, this::block)).isFalse();
        assertThat(executor.submit("b", 40, this::block)).isTrue();
        blocker.countDown();
    }

    @Test
    void acceptsTasksAfterOthersHaveRun() {
        var executor = new KeyedExecutor<String>("test", Limits.total(1, 1, 1));
        for (int i = 0; i < 100; i++) {
            var key = "key " + i;
            var ran = new CountDownLatch(1);
            while (!executor.submit(key, 1, ran::countDown)) {
                Thread.yield(); // until the task before it is removed
            }
            await(ran);
        }
    }
}
