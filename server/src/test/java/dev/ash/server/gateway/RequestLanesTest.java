package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequestLanesTest {
    private final RequestLanes lanes = new RequestLanes();

    @Test
    void whatIsInOneLaneKeepsItsOrder() throws Exception {
        List<Integer> seen = new ArrayList<>(); // by one thread at a time
        var all = new CountDownLatch(50);
        for (int i = 0; i < 50; i++) {
            int number = i;
            assertThat(
                            lanes.run(
                                    "a",
                                    1,
                                    () -> {
                                        seen.add(number);
                                        all.countDown();
                                    }))
                    .isTrue();
        }

        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).isSorted().hasSize(50);
    }

    @Test
    void oneLaneDoesNotHoldUpAnotherAndOnlySoManyWait() throws Exception {
        var held = new Semaphore(0);
        var passed = new CountDownLatch(1);
        var ended = new CountDownLatch(63);
        for (int i = 0; i < 63; i++) {
            lanes.run(
                    "slow",
                    1,
                    () -> {
                        held.acquireUninterruptibly();
                        ended.countDown();
                    });
        }
        assertThat(lanes.run("quick", 1, passed::countDown)).isTrue();
        assertThat(passed.await(20, TimeUnit.SECONDS)).isTrue();

        while (lanes.run("slow", 1, ended::countDown)) {
            // until it is full
        }
        assertThat(lanes.run("quick", 1, () -> {})).isFalse();
        held.release(63);
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whatAnAppHasKeptWhileItWasOfflineIsTaken() throws Exception {
        var held = new Semaphore(0);
        var ended = new CountDownLatch(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(
                            lanes.run(
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
    void onlySoManyLanesRunAndSoManyBytesWait() {
        var held = new Semaphore(0);
        for (int i = 0; i < 64; i++) {
            assertThat(lanes.run("lane " + i, 1, held::acquireUninterruptibly)).isTrue();
        }
        assertThat(lanes.run("another", 1, () -> {})).isFalse();
        assertThat(lanes.run("lane 1", 16 * 1024 * 1024, () -> {})).isFalse();
        assertThat(lanes.run("lane 1", 1024, () -> {})).isTrue();
        held.release(64);
    }
}
