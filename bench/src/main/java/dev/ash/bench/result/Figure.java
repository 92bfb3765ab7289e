package dev.ash.bench.result;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure.
 *
 * @param bridge the bridge of the sessions, or empty if none is involved
 */
public record Figure(
        String name,
        String bridge,
        Unit unit,
        Summary summary,
        @Nullable Floor floor,
        List<Verdict> verdicts,
        String note) {
    public static final String OWN = "own";
    public static final String STAND_IN = "stand-in";

    public Figure {
        verdicts = verdicts == null ? List.of() : List.copyOf(verdicts);
    }

    public static Figure of(String name, String bridge, Unit unit, List<Double> values) {
        return new Figure(name, bridge, unit, Summary.of(values), null, List.of(), "");
    }

    public static Figure millis(String name, String bridge, List<Double> values) {
        return of(name, bridge, Unit.MILLISECONDS, values);
    }

    public Figure over(String floorName, List<Double> values) {
        return new Figure(
                name,
                bridge,
                unit,
                summary,
                new Floor(floorName, Summary.of(values)),
                verdicts,
                note);
    }

    public Figure with(Verdict verdict) {
        var all = new ArrayList<>(verdicts);
        all.add(verdict);
        return new Figure(name, bridge, unit, summary, floor, all, note);
    }

    /** Adds the limit of the median. */
    public Figure atMost(double limit) {
        return with(Verdict.atMost("p50", summary.p50(), limit, unit.symbol()));
    }

    public Figure note(String text) {
        return new Figure(name, bridge, unit, summary, floor, verdicts, text);
    }

    /** Returns how many times the floor this figure is; for rates, the share of the floor. */
    public double ratio() {
        var lowest = floor;
        return lowest == null || lowest.summary().p50() == 0
                ? Double.NaN
                : summary.p50() / lowest.summary().p50();
    }
}
