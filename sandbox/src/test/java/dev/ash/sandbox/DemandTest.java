package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DemandTest {
    private static final int MAX = 10;

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5); // nanoTime may overflow
    private final Demand demand = new Demand(clock::get);

    private void after(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    private void request(int count) {
        for (int i = 0; i < count; i++) {
            demand.record(MAX);
        }
    }

    @Test
    void isZeroWithoutRequests() {
        assertThat(demand.current()).isZero();
    }

    @Test
    void countsRequestsOfOneBurst() {
        request(3);
        after(Duration.ofSeconds(1));
        request(2);

        assertThat(demand.current()).isEqualTo(5);
    }

    @Test
    void doesNotAddRequestsOfDifferentBursts() {
        request(3);
        after(Duration.ofSeconds(3));
        request(2);

        assertThat(demand.current()).isEqualTo(3);
    }

    @Test
    void countsAtMostTheLimit() {
        request(1000);

        assertThat(demand.current()).isEqualTo(MAX);
    }

    @Test
    void forgetsBurstAfterFiveMinutes() {
        request(4);
        after(Duration.ofMinutes(4));
        assertThat(demand.current()).isEqualTo(4);
        request(1);
        after(Duration.ofMinutes(2));

        assertThat(demand.current()).isZero();
        request(1);
        assertThat(demand.current()).isEqualTo(1);
    }

    @Test
    void remembersRepeatedBursts() {
        request(4);
        after(Duration.ofMinutes(4));
        request(4);
        after(Duration.ofMinutes(4));

        assertThat(demand.current()).isEqualTo(4);
    }
}
