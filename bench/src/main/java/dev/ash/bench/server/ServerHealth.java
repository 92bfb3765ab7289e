package dev.ash.bench.server;

import java.util.regex.Pattern;

/** The response of {@code GET /health}. */
public record ServerHealth(String json) {
    public int warm() {
        return number("warm");
    }

    public int warming() {
        return number("warming");
    }

    public int activeSandboxes() {
        return number("activeSandboxes");
    }

    private int number(String name) {
        var found = Pattern.compile("\"" + name + "\":(\\d+)").matcher(json);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }
}
