package dev.ash.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Formats rows of text with aligned columns. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table row(Object... cells) {
        var row = new ArrayList<String>();
        for (var cell : cells) {
            row.add(Printable.line(String.valueOf(cell)));
        }
        rows.add(row);
        return this;
    }

    @Override
    public String toString() {
        var lines = new ArrayList<String>();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(row.get(column));
                if (column < row.size() - 1) {
                    line.repeat(' ', width(column) - row.get(column).length() + 2);
                }
            }
            lines.add(line.toString().stripTrailing());
        }
        return String.join("\n", lines);
    }

    private int width(int column) {
        return rows.stream()
                .filter(row -> column < row.size())
                .mapToInt(row -> row.get(column).length())
                .max()
                .orElse(0);
    }
}
