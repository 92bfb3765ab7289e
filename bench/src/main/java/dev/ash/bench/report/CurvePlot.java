package dev.ash.bench.report;

import dev.ash.bench.result.Curve;
import dev.ash.bench.result.Verdict;
import java.util.Locale;

/** Draws a growth curve with logarithmic axes: medians as lines, 95th percentiles dashed. */
final class CurvePlot {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 320;
    private static final int LEFT = 60;
    private static final int RIGHT = 20;
    private static final int TOP = 40;
    private static final int BOTTOM = 40;

    private final Curve curve;
    private final double maxX;
    private final double minX;
    private final double maxY;
    private final double minY;

    CurvePlot(Curve curve) {
        this.curve = curve;
        var points = curve.series().stream().flatMap(s -> s.points().stream()).toList();
        minX = points.stream().mapToDouble(Curve.Point::x).min().orElse(1);
        maxX = points.stream().mapToDouble(Curve.Point::x).max().orElse(10);
        minY = power(points.stream().mapToDouble(Curve.Point::p50).min().orElse(1), false);
        maxY = power(points.stream().mapToDouble(Curve.Point::p95).max().orElse(10), true);
    }

    /** Returns the next power of ten below or above. */
    private static double power(double value, boolean isAbove) {
        double log = Math.log10(Math.max(value, 1e-3));
        return Math.pow(10, isAbove ? Math.ceil(log + 1e-9) : Math.floor(log - 1e-9));
    }

    String draw() {
        var svg = new Svg(WIDTH, HEIGHT);
        for (double y = minY; y <= maxY * 1.001; y *= 10) {
            svg.line(LEFT, y(y), WIDTH - RIGHT, y(y), "#8883");
            svg.label(LEFT - 6, y(y) + 4, "end", Verdict.number(y));
        }
        for (double x = power(minX, false); x <= maxX * 1.001; x *= 10) {
            if (x >= minX) {
                svg.label(x(x), HEIGHT - BOTTOM + 16, "middle", Verdict.number(x));
            }
        }
        svg.label(LEFT, 14, "start", curve.y() + " (solid: p50, dashed: p95)");
        svg.label(WIDTH / 2.0, HEIGHT - 6, "middle", curve.x());
        int index = 0;
        for (var series : curve.series()) {
            draw(svg, series, index++);
        }
        return svg.end();
    }

    private void draw(Svg svg, Curve.Series series, int index) {
        var color = Svg.color(index);
        var medians = new StringBuilder();
        var tails = new StringBuilder();
        for (var point : series.points()) {
            medians.append(pair(point.x(), point.p50()));
            tails.append(pair(point.x(), point.p95()));
            svg.circle(x(point.x()), y(point.p50()), color);
        }
        svg.path(medians.toString().strip(), color, false);
        svg.path(tails.toString().strip(), color, true);
        svg.label(LEFT + 10 + index * 190.0, 30, "start", color, series.name());
    }

    private String pair(double x, double y) {
        return String.format(Locale.ROOT, "%.1f,%.1f ", x(x), y(y));
    }

    private double x(double value) {
        return scale(value, minX, maxX, LEFT + 10, WIDTH - RIGHT - 10);
    }

    private double y(double value) {
        return scale(value, minY, maxY, HEIGHT - BOTTOM, TOP);
    }

    private static double scale(double value, double min, double max, double from, double to) {
        double range = Math.log(max / min);
        double share = range == 0 ? 0 : Math.log(Math.max(value, 1e-6) / min) / range;
        return from + share * (to - from);
    }
}
