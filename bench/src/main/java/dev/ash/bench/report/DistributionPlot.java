package dev.ash.bench.report;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Summary;
import dev.ash.bench.result.Verdict;
import java.util.Locale;

/** Draws the stored samples of a figure and of its floor as cumulative distributions. */
final class DistributionPlot {
    private static final int WIDTH = 420;
    private static final int HEIGHT = 120;
    private static final int LEFT = 30;
    private static final int RIGHT = 10;
    private static final int TOP = 20;
    private static final int BOTTOM = 20;

    private final Figure figure;
    private final double max;

    DistributionPlot(Figure figure) {
        this.figure = figure;
        var floor = figure.floor();
        double largest = limit(figure.summary());
        max = Math.max(floor == null ? largest : Math.max(largest, limit(floor.summary())), 1e-9);
    }

    /** Leaves out extreme outliers, which would hide the rest. */
    private static double limit(Summary summary) {
        return Math.min(summary.sample().getLast(), 4 * summary.p50() + summary.p95());
    }

    String draw() {
        var svg = new Svg(WIDTH, HEIGHT);
        svg.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, Svg.AXIS);
        svg.label(LEFT, HEIGHT - 5, "start", "0");
        svg.label(
                WIDTH - RIGHT,
                HEIGHT - 5,
                "end",
                Verdict.number(max) + " " + figure.unit().symbol());
        svg.label(LEFT - 4, TOP + 4, "end", "1");
        svg.path(points(figure.summary()), Svg.color(0), false);
        svg.label(LEFT, 12, "start", Svg.color(0), "measured");
        var floor = figure.floor();
        if (floor != null) {
            svg.path(points(floor.summary()), Svg.color(1), true);
            svg.label(LEFT + 80, 12, "start", Svg.color(1), floor.name());
        }
        return svg.end();
    }

    private String points(Summary summary) {
        var text = new StringBuilder();
        var sample = summary.sample();
        for (int i = 0; i < sample.size(); i++) {
            double share = (i + 1.0) / sample.size();
            double x = LEFT + (WIDTH - LEFT - RIGHT) * Math.clamp(sample.get(i) / max, 0.0, 1.0);
            double y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share;
            text.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        return text.toString().strip();
    }
}
