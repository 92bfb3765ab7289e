package dev.ash.e2e.conformance;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Renders the statements as {@code docs/conformance.md}. */
final class ConformanceTable {
    record Row(Statement statement, String test) {
        String id() {
            return statement.id();
        }

        /** Returns the number in the document without an optional letter suffix. */
        int number() {
            return Integer.parseInt(id().substring(4).replaceAll("[^0-9]", ""));
        }
    }

    private static final Comparator<Row> ORDER =
            Comparator.<Row, String>comparing(row -> row.id().substring(0, 3))
                    .thenComparing(Row::number)
                    .thenComparing(Row::id);

    private final List<Row> rows;

    ConformanceTable(List<Row> rows) {
        this.rows = rows.stream().sorted(ORDER).toList();
    }

    String markdown() {
        var lines = new ArrayList<String>();
        lines.add("# Conformance");
        lines.add("");
        lines.add(
                "The statements of the published documents, and whether Ash conforms. Each row is a test in");
        lines.add(
                "`e2e/src/test/java/dev/ash/e2e/conformance`, which fails when the row is wrong. Do not edit this");
        lines.add(
                "page: `mvn -o -pl e2e verify -Dtest=ConformanceTableTest -Dash.conformance.write=true` generates it.");
        lines.add(
                "*Differs* means that Ash deliberately behaves differently, *not yet* that a feature is missing; both are");
        lines.add("explained on the page that the row names.");
        lines.add("");
        lines.add("| document | statements | hold | differ | not yet |");
        lines.add("|---|---|---|---|---|");
        for (var document : Document.values()) {
            lines.add(summary(document.number() + " " + document.title(), of(document)));
        }
        lines.add(summary("all", rows));
        for (var document : Document.values()) {
            lines.add("");
            lines.add("## " + document.number() + " " + document.title());
            lines.add("");
            lines.add("| id | statement | result | test |");
            lines.add("|---|---|---|---|");
            of(document).forEach(row -> lines.add(line(row)));
        }
        return String.join("\n", lines) + "\n";
    }

    private List<Row> of(Document document) {
        return rows.stream().filter(row -> row.id().startsWith(document.number() + "-")).toList();
    }

    private static String summary(String name, List<Row> rows) {
        var counts =
                rows.stream().collect(groupingBy(row -> row.statement().verdict(), counting()));
        var line = new StringBuilder("| " + name + " | " + rows.size() + " |");
        for (var verdict : Verdict.values()) {
            line.append(' ').append(counts.getOrDefault(verdict, 0L)).append(" |");
        }
        return line.toString();
    }

    private static String line(Row row) {
        var statement = row.statement();
        var result = statement.verdict().label();
        if (statement.verdict() != Verdict.HOLDS) {
            // The table is in docs/, so links start there.
            var link = statement.see().substring("docs/".length());
            result += ": " + cell(statement.instead()) + " ([why](" + link + "))";
        }
        return "| %s | %s | %s | `%s` |"
                .formatted(statement.id(), cell(statement.says()), result, row.test());
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
