package dev.ash.bench.result;

import java.util.List;

/**
 * The result of one benchmark.
 *
 * @param commit the commit that was measured
 * @param skipped why the benchmark did not run, or empty
 */
public record Measured(
        String benchmark,
        String commit,
        String time,
        String machine,
        String skipped,
        List<Figure> figures,
        List<Curve> curves) {
    public Measured {
        figures = List.copyOf(figures);
        curves = List.copyOf(curves);
    }
}
