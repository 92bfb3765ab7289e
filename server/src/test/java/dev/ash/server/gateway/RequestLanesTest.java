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
                    () -> {
                        held.acquireUninterruptibly();
                        ended.countDown();
                    });
        }
        assertThat(lanes.run("quick", passed::countDown)).isTrue();
        assertThat(passed.await(20, TimeUnit.SECONDS)).isTrue();

        while (lanes.run("slow", ended::countDown)) {
            // until it is full
        }
        assertThat(lanes.run("quick", () -> {})).isFalse();
        held.release(63);
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    }
}
