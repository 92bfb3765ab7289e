package dev.ash.bench.report;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Result;

/** Writes the results as one page without external resources. */
final class Page {
    private static final String HEAD =
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>Ash benchmarks</title>
            <style>
            body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em }
            table { border-collapse: collapse; width: 100%; margin: 0.5em 0 1em }
            th, td { padding: 0.25em 0.6em; text-align: left; border-bottom: 1px solid #8884;
              vertical-align: top }
            td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
            .met { color: #22a06b } .missed { color: #e11d48; font-weight: bold }
            .note { color: #888; font-size: 90% } svg { max-width: 100%; height: auto }
            </style>
            <h1>Ash benchmarks</h1>
            """;

    private final StringBuilder text = new StringBuilder(HEAD);

    static String of(Result result) {
        var page = new Page();
        result.benchmarks().forEach(page::add);
        return page.text + "</html>\n";
    }

    private void add(Measured measured) {
        text.append("<h2>%s</h2>\n".formatted(Svg.escape(measured.benchmark())));
        text.append(
                "<p class=\"note\">commit %s, %s, %s</p>\n"
                        .formatted(
                                Svg.escape(measured.commit()),
                                Svg.escape(measured.time()),
                                Svg.escape(measured.machine())));
        if (!measured.skipped().isEmpty()) {
            text.append("<p>Skipped: %s</p>\n".formatted(Svg.escape(measured.skipped())));
        }
        for (var curve : measured.curves()) {
            text.append(new CurvePlot(curve).draw());
        }
        if (!measured.figures().isEmpty()) {
            text.append(
                    "<table><tr><th>figure<th>bridge<th>p50<th>p95<th>p99<th>n<th>floor<th>ratio"
                            + "<th>limit<th>distribution\n");
            measured.figures().forEach(this::add);
            text.append("</table>\n");
        }
    }

    private void add(Figure figure) {
        text.append("<tr>");
        int column = 0;
        for (var cell : TextTable.cells(figure)) {
            boolean isNumber = column >= 2 && column != 6;
            text.append(isNumber ? "<td class=\"n\">" : "<td>").append(Svg.escape(cell));
            column++;
        }
        text.append("<td>");
        for (var verdict : figure.verdicts()) {
            text.append(
                    "<div class=\"%s\">%s: %s</div>"
                            .formatted(
                                    verdict.met() ? "met" : "missed",
                                    verdict.met() ? "met" : "not met",
                                    Svg.escape(verdict.requirement())));
        }
        text.append("<div class=\"note\">%s</div><td>".formatted(Svg.escape(figure.note())));
        if (figure.summary().count() > 1) {
            text.append(new DistributionPlot(figure).draw());
        }
        text.append('\n');
    }
}
