package dev.ash.bench.report;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Result;
import dev.ash.bench.stats.RankTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares figures with those of an earlier result. A change is reported if both hold:
 *
 * <ul>
 *   <li>a Mann-Whitney test of the stored samples rejects that they are equal, with p &lt; 0.001
 *       (|z| &gt; 3.29), because many figures are compared at once;
 *   <li>the medians differ by more than 10 %, and by more than their floors differ: a machine that
 *       is slower as a whole also has a slower floor.
 * </ul>
 */
public final class Comparison {
    private static final double Z = 3.29;
    private static final double MIN_CHANGE = 0.10;
    private static final int MIN_SAMPLES = 8;

    /** A changed figure; {@code change} is positive if it is worse, as a share of the old value. */
    public record Change(
            String benchmark, String figure, double before, double now, double change) {
        public boolean isRegression() {
            return change > 0;
        }
    }

    /** Returns all changes that are larger than the noise. */
    public static List<Change> of(Result before, List<Measured> now) {
        var changes = new ArrayList<Change>();
        for (var measured : now) {
            var old = before.find(measured.benchmark());
            for (var figure : measured.figures()) {
                old.flatMap(benchmark -> find(benchmark, figure))
                        .flatMap(earlier -> change(measured.benchmark(), earlier, figure))
                        .ifPresent(changes::add);
            }
        }
        return changes;
    }

    private static Optional<Figure> find(Measured benchmark, Figure figure) {
        return benchmark.figures().stream()
                .filter(
                        old ->
                                old.name().equals(figure.name())
                                        && old.bridge().equals(figure.bridge())
                                        && old.unit() == figure.unit())
                .findFirst();
    }

    private static Optional<Change> change(String benchmark, Figure before, Figure now) {
        double old = before.summary().p50();
        double present = now.summary().p50();
        double sign = now.unit().isMoreBetter() ? -1 : 1;
        double change = sign * (present - old) / Math.max(Math.abs(old), 1e-9);
        double corrected = sign * (present / floorChange(before, now) - old) / Math.max(old, 1e-9);
        boolean isLarge =
                Math.abs(change) > MIN_CHANGE
                        && Math.abs(corrected) > MIN_CHANGE
                        && change * corrected > 0;
        return isLarge && differ(before, now)
                ? Optional.of(new Change(benchmark, now.name(), old, present, change))
                : Optional.empty();
    }

    /** Returns how many times its earlier value the floor is; 1 without a floor. */
    private static double floorChange(Figure before, Figure now) {
        var old = before.floor();
        var present = now.floor();
        if (old == null || present == null || !old.name().equals(present.name())) {
            return 1;
        }
        double ratio = present.summary().p50() / old.summary().p50();
        return Double.isFinite(ratio) && ratio > 0 ? ratio : 1;
    }

    private static boolean differ(Figure before, Figure now) {
        var old = before.summary().sample();
        var present = now.summary().sample();
        if (old.size() < MIN_SAMPLES || present.size() < MIN_SAMPLES) {
            return false; // too few values for a statement
        }
        return Math.abs(new RankTest(old, present).z()) > Z;
    }

    private Comparison() {}
}
