package dev.ash.bench.report;

import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Verdict;
import java.util.ArrayList;
import java.util.List;

/** Formats figures as a table, aligned for a terminal or in Markdown. */
public final class TextTable {
    private static final List<String> HEADER =
            List.of("figure", "bridge", "p50", "p95", "p99", "n", "floor", "ratio", "limit");

    /** Returns the rows of one benchmark for the terminal; verdicts have lines of their own. */
    public static String terminal(List<Measured> benchmarks) {
        var rows = new ArrayList<List<String>>();
        rows.add(HEADER.subList(0, HEADER.size() - 1));
        for (var benchmark : benchmarks) {
            for (var figure : benchmark.figures()) {
                rows.add(cells(figure));
            }
        }
        var widths = new int[HEADER.size() - 1];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        var text = new StringBuilder(line(rows.getFirst(), widths));
        int next = 1;
        for (var benchmark : benchmarks) {
            if (!benchmark.skipped().isEmpty()) {
                text.append(benchmark.benchmark())
                        .append(": skipped: ")
                        .append(benchmark.skipped())
                        .append('\n');
            }
            for (var figure : benchmark.figures()) {
                text.append(line(rows.get(next++), widths));
                for (var verdict : figure.verdicts()) {
                    text.append(verdict.met() ? "    met:     " : "    NOT met: ")
                            .append(verdict.requirement())
                            .append('\n');
                }
                if (!figure.note().isEmpty()) {
                    text.append("    ").append(figure.note()).append('\n');
                }
            }
        }
        return text.toString();
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            boolean isText = i < 2 || i == 6;
            var padding = " ".repeat(widths[i] - row.get(i).length());
            line.append(isText ? row.get(i) + padding : padding + row.get(i)).append("  ");
        }
        return line.toString().stripTrailing() + "\n";
    }

    /** Returns a Markdown table of all figures. */
    public static String markdown(List<Measured> benchmarks) {
        var text = new StringBuilder();
        text.append("| ").append(String.join(" | ", HEADER)).append(" |\n");
        text.append("|---|---|--:|--:|--:|--:|---|--:|---|\n");
        for (var benchmark : benchmarks) {
            if (!benchmark.skipped().isEmpty()) {
                text.append("| %s: skipped | | | | | | | | |\n".formatted(benchmark.benchmark()));
            }
            for (var figure : benchmark.figures()) {
                var cells = new ArrayList<>(cells(figure));
                cells.add(
                        String.join(
                                "; ", figure.verdicts().stream().map(TextTable::verdict).toList()));
                text.append("| ").append(String.join(" | ", cells)).append(" |\n");
            }
        }
        return text.toString();
    }

    static String verdict(Verdict verdict) {
        return (verdict.met() ? "met: " : "**not met**: ") + verdict.requirement();
    }

    static List<String> cells(Figure figure) {
        var summary = figure.summary();
        var unit = " " + figure.unit().symbol();
        var floor = figure.floor();
        boolean isSingle = summary.count() == 1;
        var cells = new ArrayList<String>();
        cells.add(figure.name());
        cells.add(figure.bridge());
        cells.add(Verdict.number(summary.p50()) + unit);
        cells.add(isSingle ? "" : Verdict.number(summary.p95()));
        cells.add(isSingle ? "" : Verdict.number(summary.p99()));
        cells.add(Integer.toString(summary.count()));
        cells.add(
                floor == null
                        ? ""
                        : floor.name() + " " + Verdict.number(floor.summary().p50()) + unit);
        cells.add(floor == null ? "" : Verdict.number(figure.ratio()) + "×");
        return cells;
    }

    private TextTable() {}
}
