package dev.ash.bench.stats;

import java.util.Arrays;

/**
 * Statistics of pairs of values that were measured alternately. A disturbance of the machine
 * affects both values of a pair, so the differences are more accurate than a comparison of the
 * medians.
 */
public final class PairedStatistics {
    private final double[] oldValues;
    private final double[] newValues;
    private final double[] differences;

    public PairedStatistics(double[] oldValues, double[] newValues) {
        if (oldValues.length != newValues.length || oldValues.length == 0) {
            throw new IllegalArgumentException(
                    "%d old and %d new values are not pairs"
                            .formatted(oldValues.length, newValues.length));
        }
        this.oldValues = oldValues.clone();
        this.newValues = newValues.clone();
        this.differences = new double[oldValues.length];
        for (int i = 0; i < oldValues.length; i++) {
            differences[i] = newValues[i] - oldValues[i];
        }
        Arrays.sort(this.oldValues);
        Arrays.sort(this.newValues);
        Arrays.sort(differences);
    }

    public int pairs() {
        return differences.length;
    }

    public double oldMedian() {
        return median(oldValues);
    }

    public double newMedian() {
        return median(newValues);
    }

    /** Returns the median of new minus old over all pairs. */
    public double difference() {
        return median(differences);
    }

    /**
     * Returns the lower end of the interval that contains the true median difference with a
     * probability of at least 95 %, for any distribution; with fewer than 6 pairs, the minimum.
     */
    public double lowerBound() {
        return differences[rank(differences.length)];
    }

    public double upperBound() {
        return differences[differences.length - 1 - rank(differences.length)];
    }

    /** Returns whether the upper bound is at most this fraction of the old median. */
    public boolean isWithin(double share) {
        return upperBound() <= share * oldMedian();
    }

    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * Returns the rank of the lower bound. The bounds are order statistics: each value is below the
     * true median with probability 1/2, so the maximum number of values is dropped at both ends for
     * which the binomial distribution leaves at most 2.5 % beyond each.
     */
    static int rank(int count) {
        double probability = Math.pow(0.5, count);
        double tail = probability;
        int cut = 0;
        while (tail <= 0.025 && cut < count / 2) {
            cut++;
            probability *= (count - cut + 1) / (double) cut;
            tail += probability;
        }
        return Math.max(0, cut - 1);
    }
}
