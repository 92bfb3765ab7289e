package dev.ash.bench.stats;

import java.util.Arrays;
import java.util.List;

/** Median, percentiles and extremes of measured values. */
public final class Statistics {
    private final double[] values;

    public Statistics(double[] measured) {
        if (measured.length == 0) {
            throw new IllegalArgumentException("no value was measured");
        }
        values = measured.clone();
        Arrays.sort(values);
    }

    public Statistics(List<Double> measured) {
        this(measured.stream().mapToDouble(Double::doubleValue).toArray());
    }

    public int count() {
        return values.length;
    }

    public double median() {
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    /** Returns the smallest value that at least this percentage of the values does not exceed. */
    public double percentile(double percent) {
        int rank = (int) Math.ceil(values.length * percent / 100);
        return values[Math.clamp(rank - 1, 0, values.length - 1)];
    }

    public double max() {
        return values[values.length - 1];
    }

    public double min() {
        return values[0];
    }

    /** Returns at most this many values, evenly spaced in the sorted values, with both extremes. */
    public List<Double> thinned(int count) {
        if (values.length <= count) {
            return Arrays.stream(values).boxed().toList();
        }
        var chosen = new Double[count];
        for (int i = 0; i < count; i++) {
            chosen[i] = values[(int) Math.round(i * (values.length - 1) / (count - 1.0))];
        }
        return List.of(chosen);
    }
}
