package dev.ash.bench;

import java.util.Arrays;

/**
 * Two values that were measured in turns, pair by pair, and how far the second is from the first.
 * What disturbs the machine for a while disturbs both values of a pair, so the differences say more
 * than a comparison of the two medians.
 */
final class PairedFigures {
    private final double[] olds;
    private final double[] news;
    private final double[] differences;

    PairedFigures(double[] olds, double[] news) {
        if (olds.length != news.length || olds.length == 0) {
            throw new IllegalArgumentException(
                    "%d old and %d new values are no pairs".formatted(olds.length, news.length));
        }
        this.olds = olds.clone();
        this.news = news.clone();
        this.differences = new double[olds.length];
        for (int i = 0; i < olds.length; i++) {
            differences[i] = news[i] - olds[i];
        }
        Arrays.sort(this.olds);
        Arrays.sort(this.news);
        Arrays.sort(differences);
    }

    int pairs() {
        return differences.length;
    }

    double oldMedian() {
        return median(olds);
    }

    double newMedian() {
        return median(news);
    }

    /** The median of new minus old, over all pairs. */
    double difference() {
        return median(differences);
    }

    /**
     * The lower end of the interval that holds the true median difference with a probability of at
     * least 95 %, whatever its distribution; with fewer than 6 pairs, the least difference.
     */
    double lowerBound() {
        return differences[rank(differences.length)];
    }

    double upperBound() {
        return differences[differences.length - 1 - rank(differences.length)];
    }

    /** Whether the new one is, at worst, slower by this share of the old median. */
    boolean isWithin(double share) {
        return upperBound() <= share * oldMedian();
    }

    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /**
     * The bounds are order statistics: each value is below the true median with probability 1/2, so
     * as many values as possible are cut off at both ends while the binomial distribution leaves at
     * most 2.5 % beyond each.
     */
    static int rank(int count) {
        double probability = Math.pow(0.5, count);
        double beyond = probability;
        int cut = 0;
        while (beyond <= 0.025 && cut < count / 2) {
            cut++;
            probability *= (count - cut + 1) / (double) cut;
            beyond += probability;
        }
        return Math.max(0, cut - 1);
    }
}
