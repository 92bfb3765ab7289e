package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LanesTest {
    private final Lanes lanes = new Lanes();

    @Test
    void runsTheTasksOfASessionInTheirOrderBesideThoseOfOthers() throws Exception {
        var session = SessionId.random();
        var stuck = new CountDownLatch(1);
        var done = new CountDownLatch(500);
        var order = new ArrayList<Integer>();
        lanes.later(SessionId.random(), () -> await(stuck));
        for (int i = 0; i < 500; i++) {
            int number = i;
            lanes.later(
                    session,
                    () -> {
                        order.add(number);
                        done.countDown();
                        if (number == 7) {
                            throw new IllegalStateException("one that fails holds up nobody");
                        }
                    });
        }

        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        stuck.countDown();
        assertThat(order).isEqualTo(IntStream.range(0, 500).boxed().toList());
    }

    @Test
    void takesNoMoreThanItHasRoomFor() throws Exception {
        var session = SessionId.random();
        var stuck = new CountDownLatch(1);
        var taken = new ArrayList<Boolean>();
        for (int i = 0; i < 1100; i++) {
            taken.add(lanes.later(session, () -> await(stuck)));
        }
        stuck.countDown();

        assertThat(taken.subList(0, 1024)).doesNotContain(false);
        assertThat(taken.subList(1030, 1100)).isEqualTo(List.copyOf(falses(70)));
    }

    private static List<Boolean> falses(int count) {
        return IntStream.range(0, count).mapToObj(_ -> false).toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
