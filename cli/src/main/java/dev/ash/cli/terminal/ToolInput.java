package dev.ash.cli.terminal;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;

/** Formats the input of a tool for the terminal. */
public final class ToolInput {
    private static final List<String> SUMMARY_MEMBERS =
            List.of("command", "file_path", "path", "pattern", "url", "query", "prompt", "plan");

    private ToolInput() {}

    /** Returns the most informative member, or the complete input on one line. */
    public static String summary(RawJson input) {
        try {
            var object = JsonObject.parse(input);
            for (var name : SUMMARY_MEMBERS) {
                var value = object.string(name);
                if (value.isPresent()) {
                    return Printable.line(value.get());
                }
            }
        } catch (MalformedJsonException e) {
            // shown unparsed
        }
        return input.equals(RawJson.EMPTY_OBJECT) ? "" : Printable.line(input.toString());
    }

    /** Returns the members line by line; file changes as removed and added lines. */
    public static List<String> lines(RawJson input) {
        var lines = new ArrayList<String>();
        try {
            var object = JsonObject.parse(input);
            for (var name : object.names()) {
                var value = object.raw(name).orElse(RawJson.NULL);
                var text = JsonObject.text(value).orElse(value.toString());
                switch (name) {
                    case "old_string" -> add(lines, "- ", "- ", text);
                    case "new_string", "content" -> add(lines, "+ ", "+ ", text);
                    default -> add(lines, name + ": ", "    ", text);
                }
            }
        } catch (MalformedJsonException e) {
            add(lines, "", "", input.toString());
        }
        return lines;
    }

    /** Truncates the lines, and appends a line with the number of omitted lines. */
    public static List<String> truncate(List<String> lines, int maxLines, int maxChars) {
        var shown = new ArrayList<String>();
        int remaining = maxChars;
        for (var line : lines) {
            if (shown.size() == maxLines || line.length() > remaining) {
                int omitted = lines.size() - shown.size();
                shown.add("… and %d more %s".formatted(omitted, omitted == 1 ? "line" : "lines"));
                return shown;
            }
            shown.add(line);
            remaining -= line.length();
        }
        return shown;
    }

    /** Formats the input for editing: valid JSON with one member per line. */
    public static String editable(RawJson input) throws MalformedJsonException {
        var object = JsonObject.parse(input);
        var lines = new ArrayList<String>();
        for (var name : object.names()) {
            var value = object.raw(name).orElse(RawJson.NULL).onOneLine();
            lines.add("  " + RawJson.string(name) + ": " + value);
        }
        return lines.isEmpty() ? "{}\n" : "{\n" + String.join(",\n", lines) + "\n}\n";
    }

    private static void add(List<String> lines, String first, String others, String text) {
        var prefix = first;
        for (var line : Printable.text(text).split("\n", -1)) {
            lines.add(prefix + line);
            prefix = others;
        }
    }
}
