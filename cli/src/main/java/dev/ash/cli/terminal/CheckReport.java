package dev.ash.cli.terminal;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Locale;

/** Checks as text with their remedies, and as JSON. */
public record CheckReport(List<Check> checks) {
    public CheckReport {
        checks = List.copyOf(checks);
    }

    public boolean canRun() {
        return checks.stream().noneMatch(check -> check.status() == Check.Status.MISSING);
    }

    public String text() {
        var table = new Table();
        for (var check : checks) {
            table.row(status(check), check.name(), check.found());
            if (check.advice() != null) {
                table.row("", "", "→ " + check.advice());
            }
        }
        return table.toString();
    }

    private static String status(Check check) {
        return check.status().name().toLowerCase(Locale.ROOT);
    }

    public RawJson json() {
        var json = JsonWriter.object().put("ok", canRun()).name("checks").open('[');
        for (var check : checks) {
            json.open('{')
                    .put("name", check.name())
                    .put("status", status(check))
                    .put("found", check.found())
                    .put("advice", check.advice())
                    .close('}');
        }
        return json.close(']').end();
    }
}
