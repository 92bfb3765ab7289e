package dev.ash.e2e.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Renders the contract as the table in {@code docs/engines.md}. */
final class ContractTable {
    static final String BEGIN = "<!-- contract: generated, do not edit -->";
    static final String END = "<!-- end of contract -->";

    private final Map<String, String> versions;
    private final List<String> notes = new ArrayList<>();

    /** {@code versions} maps the name of an engine to the version that the tests run. */
    ContractTable(Map<String, String> versions) {
        this.versions = versions;
    }

    /** Returns the section of the page, including its markers. */
    String markdown() {
        var lines = new ArrayList<String>();
        var head = new StringBuilder("| property |");
        var rule = new StringBuilder("|---|");
        for (var engine : TestedEngines.ALL) {
            head.append(" %s %s |".formatted(engine.name(), versions.get(engine.name())));
            rule.append("---|");
        }
        lines.add(BEGIN);
        lines.add("");
        lines.add(head.toString());
        lines.add(rule.toString());
        for (var property : Property.values()) {
            lines.add(row(property));
        }
        lines.add("");
        lines.addAll(notes);
        lines.add("");
        lines.add(END);
        return String.join("\n", lines);
    }

    private String row(Property property) {
        var row = new StringBuilder();
        row.append("| *%s*: %s |".formatted(property.label(), property.meaning()));
        for (var engine : TestedEngines.ALL) {
            row.append(engine.can(property) ? " yes |" : " " + cannot(engine, property) + " |");
        }
        return row.toString();
    }

    private String cannot(TestedEngine engine, Property property) {
        int number = notes.size() + 1;
        notes.add(
                "%d. %s, %s: the answer instead contains `%s`."
                        .formatted(
                                number,
                                engine.name(),
                                property.label(),
                                engine.answerInstead(property)));
        return "cannot (%d)".formatted(number);
    }
}
