package dev.ash.bench.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RankTestTest {
    /** U = 4, expectation 12.5, variance 5 · 5 · 11 / 12, so z = -8.5 / 4.787. */
    @Test
    void matchesCalculatedValue() {
        var test =
                new RankTest(
                        List.of(19.0, 22.0, 16.0, 29.0, 24.0),
                        List.of(20.0, 11.0, 17.0, 12.0, 9.0));

        assertThat(test.z()).isCloseTo(-1.984, within(0.001));
    }

    @Test
    void equalValuesDoNotDiffer() {
        assertThat(new RankTest(Collections.nCopies(20, 5.0), Collections.nCopies(20, 5.0)).z())
                .isZero();
    }

    @Test
    void scoreOfEqualDistributionsIsStandardNormal() {
        var random = new Random(3);
        int outside = 0;
        for (int i = 0; i < 2000; i++) {
            var test = new RankTest(skewed(random), skewed(random));
            outside += Math.abs(test.z()) > 1.96 ? 1 : 0;
        }
        assertThat(outside).isBetween(60, 140); // the expectation is 100
    }

    private static List<Double> skewed(Random random) {
        return random.doubles(40).map(value -> -Math.log(value)).boxed().toList();
    }
}
