package dev.ash.bench.report;

import com.google.errorprone.annotations.FormatMethod;
import java.util.Locale;

/** Writes the elements of one picture. The colors are readable on light and dark backgrounds. */
final class Svg {
    static final String AXIS = "#888";
    private static final String[] COLORS = {"#3b82f6", "#f97316", "#22a06b", "#a855f7"};

    private final StringBuilder text = new StringBuilder();

    Svg(int width, int height) {
        text.append(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" \
                height="%d" font-family="sans-serif" font-size="11">
                """
                        .formatted(width, height, width, height));
    }

    static String color(int index) {
        return COLORS[index % COLORS.length];
    }

    Svg line(double x1, double y1, double x2, double y2, String color) {
        return add(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
                x1, y1, x2, y2, color);
    }

    Svg path(String points, String color, boolean isDashed) {
        return add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>",
                points, color, isDashed ? " stroke-dasharray=\"3 3\" opacity=\"0.6\"" : "");
    }

    Svg circle(double x, double y, String color) {
        return add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, color);
    }

    Svg rect(double x, double y, double width, double height, String color) {
        return add(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                x, y, width, height, color);
    }

    /** {@code anchor} is start, middle or end. */
    Svg label(double x, double y, String anchor, String label) {
        return label(x, y, anchor, AXIS, label);
    }

    Svg label(double x, double y, String anchor, String color, String label) {
        return add(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
                x, y, anchor, color, escape(label));
    }

    @FormatMethod
    private Svg add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
        return this;
    }

    static String escape(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    String end() {
        return text + "</svg>\n";
    }
}
