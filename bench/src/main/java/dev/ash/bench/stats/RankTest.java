package dev.ash.bench.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The Mann-Whitney U test of two samples, with the normal approximation and a correction for ties.
 * It compares ranks, so that it needs no assumption about the distribution and single outliers have
 * no effect.
 */
public final class RankTest {
    private final double z;

    private record Value(double value, boolean isNew) {}

    public RankTest(List<Double> oldValues, List<Double> newValues) {
        var all = new ArrayList<Value>();
        oldValues.forEach(value -> all.add(new Value(value, false)));
        newValues.forEach(value -> all.add(new Value(value, true)));
        all.sort(Comparator.comparingDouble(Value::value));
        double n1 = oldValues.size();
        double n2 = newValues.size();
        double n = n1 + n2;
        double ranksOfNew = 0;
        double ties = 0;
        for (int from = 0; from < all.size(); ) {
            int to = from;
            while (to < all.size() && all.get(to).value() == all.get(from).value()) {
                to++;
            }
            double rank = (from + 1 + to) / 2.0; // the mean rank of equal values
            double equal = to - from;
            ties += equal * equal * equal - equal;
            for (int i = from; i < to; i++) {
                ranksOfNew += all.get(i).isNew() ? rank : 0;
            }
            from = to;
        }
        double u = ranksOfNew - n2 * (n2 + 1) / 2;
        double variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
        z = variance > 0 ? (u - n1 * n2 / 2) / Math.sqrt(variance) : 0;
    }

    /** Returns the standard score: positive if new values are larger. */
    public double z() {
        return z;
    }
}
