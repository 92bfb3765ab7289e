package dev.ash.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Result;
import dev.ash.bench.result.Unit;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private final Random random = new Random(7);

    @Test
    void reportsRegression() {
        var changes = compare(latency(10, 1), latency(13, 1));

        assertThat(changes).hasSize(1);
        assertThat(changes.getFirst().isRegression()).isTrue();
        assertThat(changes.getFirst().change()).isBetween(0.2, 0.4);
    }

    @Test
    void reportsImprovement() {
        assertThat(compare(latency(10, 1), latency(5, 1)))
                .hasSize(1)
                .noneMatch(Comparison.Change::isRegression);
    }

    @Test
    void lowerRateIsRegression() {
        var changes = compare(rate(1000), rate(600));

        assertThat(changes).hasSize(1).allMatch(Comparison.Change::isRegression);
        assertThat(compare(rate(600), rate(1000))).noneMatch(Comparison.Change::isRegression);
    }

    /** Compared 500 times with p = 0.001, less than one is expected even without the minimum. */
    @Test
    void doesNotReportNoise() {
        int reported = 0;
        for (int i = 0; i < 500; i++) {
            reported += compare(latency(10, 1), latency(10, 1)).size();
        }
        assertThat(reported).isLessThanOrEqualTo(1);
    }

    @Test
    void doesNotReportSignificantButSmallChanges() {
        assertThat(compare(latency(10, 0.01), latency(10.5, 0.01))).isEmpty();
    }

    @Test
    void ignoresSlowerMachine() {
        var before = latency(10, 1).over("floor", values(2, 0.1));
        var slower = latency(20, 1).over("floor", values(4, 0.1));
        var regression = latency(20, 1).over("floor", values(2, 0.1));

        assertThat(compare(before, slower)).isEmpty();
        assertThat(compare(before, regression)).hasSize(1);
    }

    @Test
    void doesNotCompareFewValuesOrOtherFigures() {
        var before = Figure.millis("x", "own", List.of(1.0, 1.1, 1.2));
        var now = Figure.millis("x", "own", List.of(9.0, 9.1, 9.2));

        assertThat(compare(before, now)).isEmpty();
        assertThat(compare(latency(1, 0.1), Figure.millis("x", "stand-in", values(9, 0.1))))
                .isEmpty();
    }

    private static List<Comparison.Change> compare(Figure before, Figure now) {
        return Comparison.of(new Result(List.of(measured(before))), List.of(measured(now)));
    }

    private static Measured measured(Figure figure) {
        return new Measured("b", "c", "t", "m", "", List.of(figure), List.of());
    }

    private Figure latency(double median, double deviation) {
        return Figure.millis("x", "own", values(median, deviation));
    }

    private Figure rate(double median) {
        return Figure.of("r", "own", Unit.PER_SECOND, values(median, median / 20));
    }

    private List<Double> values(double median, double deviation) {
        return random.doubles(60)
                .map(value -> median + deviation * (value + random.nextDouble() - 1))
                .boxed()
                .toList();
    }
}
