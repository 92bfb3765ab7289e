package dev.ash.bench;

import java.util.Arrays;

/** Median, percentiles and extremes of measured values. */
final class Statistics {
    private final double[] values;

    Statistics(double[] measured) {
        values = measured.clone();
        Arrays.sort(values);
    }

    double median() {
        return percentile(50);
    }

    double percentile(int percent) {
        return values[Math.min(values.length - 1, values.length * percent / 100)];
    }

    double max() {
        return values[values.length - 1];
    }

    double min() {
        return values[0];
    }
}
