package dev.ash.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairedFiguresTest {
    @Test
    void mediansAreThoseOfEachSideAndOfTheDifferences() {
        var figures = new PairedFigures(new double[] {10, 30, 20}, new double[] {11, 29, 25});

        assertThat(figures.pairs()).isEqualTo(3);
        assertThat(figures.oldMedian()).isEqualTo(20);
        assertThat(figures.newMedian()).isEqualTo(25);
        assertThat(figures.difference()).isEqualTo(1);
        assertThat(new PairedFigures(new double[] {1, 2}, new double[] {2, 5}).difference())
                .isEqualTo(2);
    }

    /** From tables of the sign test: how many values lie outside the bounds on each side. */
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
    void theBoundsAreTheOrderStatisticsOfTheTables(int pairs, int rank) {
        assertThat(PairedFigures.rank(pairs)).isEqualTo(rank);
    }

    @Test
    void theBoundsCountFromBothEnds() {
        var zeros = new double[40];
        var upwards = IntStream.range(0, 40).asDoubleStream().toArray();
        var figures = new PairedFigures(zeros, upwards);

        assertThat(figures.lowerBound()).isEqualTo(13);
        assertThat(figures.upperBound()).isEqualTo(26);
    }

    @Test
    void nineteenOfTwentyIntervalsHoldTheTrueMedian() {
        var random = new Random(1);
        int held = 0;
        for (int i = 0; i < 1000; i++) {
            var zeros = new double[40];
            var skewed = random.doubles(40).map(value -> -Math.log(value)).toArray();
            var figures = new PairedFigures(zeros, skewed);
            double truth = Math.log(2);
            held += figures.lowerBound() <= truth && truth <= figures.upperBound() ? 1 : 0;
        }
        assertThat(held).isBetween(945, 985); // exactly 96.2 % are expected
    }

    @Test
    void theLimitIsAShareOfTheOldMedian() {
        var old = new double[] {100, 100, 100, 100, 100, 100};
        var slower = new double[] {100, 100, 104, 105, 100, 110};

        assertThat(new PairedFigures(old, slower).isWithin(0.10)).isTrue();
        assertThat(new PairedFigures(old, slower).isWithin(0.09)).isFalse();
    }

    @Test
    void valuesWithoutAPartnerAreRefused() {
        assertThatThrownBy(() -> new PairedFigures(new double[1], new double[2]))
                .hasMessageContaining("no pairs");
        assertThatThrownBy(() -> new PairedFigures(new double[0], new double[0]))
                .hasMessageContaining("no pairs");
    }
}
