package dev.ash.bench.result;

import dev.ash.bench.stats.Statistics;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;

/**
 * Quantiles of measured values, and a bounded number of the values.
 *
 * @param count the number of measured values
 * @param sample evenly spaced order statistics of the values
 */
public record Summary(int count, double p50, double p95, double p99, List<Double> sample) {
    private static final int SAMPLE = 60;
    private static final MathContext DIGITS = new MathContext(5);

    public Summary {
        sample = List.copyOf(sample);
    }

    public static Summary of(List<Double> values) {
        var statistics = new Statistics(values);
        return new Summary(
                statistics.count(),
                rounded(statistics.median()),
                rounded(statistics.percentile(95)),
                rounded(statistics.percentile(99)),
                statistics.thinned(SAMPLE).stream().map(Summary::rounded).toList());
    }

    public static Summary of(double value) {
        return of(List.of(value));
    }

    private static double rounded(double value) {
        return new BigDecimal(value).round(DIGITS).doubleValue();
    }
}
