package dev.ash.bench.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairedStatisticsTest {
    @Test
    void computesMediansOfValuesAndDifferences() {
        var statistics = new PairedStatistics(new double[] {10, 30, 20}, new double[] {11, 29, 25});

        assertThat(statistics.pairs()).isEqualTo(3);
        assertThat(statistics.oldMedian()).isEqualTo(20);
        assertThat(statistics.newMedian()).isEqualTo(25);
        assertThat(statistics.difference()).isEqualTo(1);
        assertThat(new PairedStatistics(new double[] {1, 2}, new double[] {2, 5}).difference())
                .isEqualTo(2);
    }

    /** From tables of the sign test: the number of values outside the bounds on each side. */
    @ParameterizedTest
    @CsvSource({
        "1, 0",
        "5, 0",
        "6, 0",
        "9, 1",
        "20, 5",
        "40, 13",
        "60, 21",
        "100, 39",
        "1000, 468"
    })
    void boundsMatchSignTestTables(int pairs, int rank) {
        assertThat(PairedStatistics.rank(pairs)).isEqualTo(rank);
    }

    @Test
    void boundsAreSymmetricRanks() {
        var zeros = new double[40];
        var ascending = IntStream.range(0, 40).asDoubleStream().toArray();
        var statistics = new PairedStatistics(zeros, ascending);

        assertThat(statistics.lowerBound()).isEqualTo(13);
        assertThat(statistics.upperBound()).isEqualTo(26);
    }

    @Test
    void intervalContainsMedianInNineteenOfTwentyCases() {
        var random = new Random(1);
        int contained = 0;
        for (int i = 0; i < 1000; i++) {
            var zeros = new double[40];
            var skewed = random.doubles(40).map(value -> -Math.log(value)).toArray();
            var statistics = new PairedStatistics(zeros, skewed);
            double trueMedian = Math.log(2);
            contained +=
                    statistics.lowerBound() <= trueMedian && trueMedian <= statistics.upperBound()
                            ? 1
                            : 0;
        }
        assertThat(contained).isBetween(945, 985); // the expectation is 96.2 %
    }

    @Test
    void limitIsFractionOfOldMedian() {
        var old = new double[] {100, 100, 100, 100, 100, 100};
        var slower = new double[] {100, 100, 104, 105, 100, 110};

        assertThat(new PairedStatistics(old, slower).isWithin(0.10)).isTrue();
        assertThat(new PairedStatistics(old, slower).isWithin(0.09)).isFalse();
    }

    @Test
    void rejectsUnpairedValues() {
        assertThatThrownBy(() -> new PairedStatistics(new double[1], new double[2]))
                .hasMessageContaining("not pairs");
        assertThatThrownBy(() -> new PairedStatistics(new double[0], new double[0]))
                .hasMessageContaining("not pairs");
    }
}
