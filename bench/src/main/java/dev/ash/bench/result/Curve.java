package dev.ash.bench.result;

import java.util.List;

/** How figures grow with a size, such as a number of subscribers. */
public record Curve(String name, String x, String y, List<Series> series) {
    public Curve {
        series = List.copyOf(series);
    }

    /** One line of the plot. */
    public record Series(String name, List<Point> points) {
        public Series {
            points = List.copyOf(points);
        }
    }

    /** The median and the 95th percentile at one size. */
    public record Point(double x, double p50, double p95) {
        public static Point of(double x, List<Double> values) {
            var summary = Summary.of(values);
            return new Point(x, summary.p50(), summary.p95());
        }
    }
}
