package dev.ash.bench;

import java.util.Arrays;

/** Measured values, and what is said of them. */
final class Figures {
    private final double[] values;

    Figures(double[] measured) {
        values = measured.clone();
        Arrays.sort(values);
    }

    double median() {
        return percentile(50);
    }

    double percentile(int percent) {
        return values[Math.min(values.length - 1, values.length * percent / 100)];
    }

    double best() {
        return values[values.length - 1];
    }

    double worst() {
        return values[0];
    }
}
