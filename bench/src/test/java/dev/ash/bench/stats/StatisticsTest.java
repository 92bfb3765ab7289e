package dev.ash.bench.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatisticsTest {
    private static final Statistics HUNDRED =
            new Statistics(IntStream.rangeClosed(1, 100).asDoubleStream().toArray());

    @Test
    void computesMedian() {
        assertThat(new Statistics(List.of(3.0, 1.0, 2.0)).median()).isEqualTo(2);
        assertThat(new Statistics(List.of(4.0, 1.0)).median()).isEqualTo(2.5);
        assertThat(HUNDRED.median()).isEqualTo(50.5);
    }

    @Test
    void percentilesAreNearestRanks() {
        assertThat(HUNDRED.percentile(95)).isEqualTo(95);
        assertThat(HUNDRED.percentile(99)).isEqualTo(99);
        assertThat(HUNDRED.percentile(100)).isEqualTo(100);
        assertThat(new Statistics(List.of(1.0, 2.0, 3.0)).percentile(99)).isEqualTo(3);
        assertThat(new Statistics(List.of(7.0)).percentile(50)).isEqualTo(7);
    }

    @Test
    void thinsToEvenlySpacedValuesWithExtremes() {
        assertThat(HUNDRED.thinned(4)).containsExactly(1.0, 34.0, 67.0, 100.0);
        assertThat(HUNDRED.thinned(200)).hasSize(100);
    }

    @Test
    void rejectsNoValues() {
        assertThatThrownBy(() -> new Statistics(new double[0])).hasMessageContaining("no value");
    }
}
