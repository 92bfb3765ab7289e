package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.concurrent.KeyedExecutor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the limits of the pending requests of one connection. */
class RequestLimitsTest {
    private final KeyedExecutor<String> queues = new KeyedExecutor<>("test", DeviceChannel.LIMITS);

    @Test
    void oneQueueDoesNotBlockAnotherUntilAllAreFull() throws Exception {
        var held = new Semaphore(0);
        var passed = new CountDownLatch(1);
        var ended = new CountDownLatch(63);
        for (int i = 0; i < 63; i++) {
            queues.submit(
                    "slow",
                    1,
                    () -> {
                        held.acquireUninterruptibly();
                        ended.countDown();
                    });
        }
        assertThat(queues.submit("quick", 1, passed::countDown)).isTrue();
        assertThat(passed.await(20, TimeUnit.SECONDS)).isTrue();

        while (queues.submit("slow", 1, ended::countDown)) {
            // until it is full
        }
        assertThat(queues.submit("quick", 1, () -> {})).isFalse();
        held.release(63);
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void acceptsOfflineQueueOfApp() throws Exception {
        var held = new Semaphore(0);
        var ended = new CountDownLatch(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(
                            queues.submit(
                                    "one",
                                    1,
                                    () -> {
                                        held.acquireUninterruptibly();
                                        ended.countDown();
                                    }))
                    .isTrue();
        }
        held.release(1000);
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void limitsQueuesAndBytes() {
        var held = new Semaphore(0);
        for (int i = 0; i < 64; i++) {
            assertThat(queues.submit("queue " + i, 1, held::acquireUninterruptibly)).isTrue();
        }
        assertThat(queues.submit("another", 1, () -> {})).isFalse();
        assertThat(queues.submit("queue 1", 16 * 1024 * 1024, () -> {})).isFalse();
        assertThat(queues.submit("queue 1", 1024, () -> {})).isTrue();
        held.release(64);
    }
}
