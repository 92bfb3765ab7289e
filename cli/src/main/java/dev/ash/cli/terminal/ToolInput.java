package dev.ash.cli.terminal;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;

/** What a tool is called with, for people; harmless to a terminal. */
public final class ToolInput {
    private static final List<String> TELLING =
            List.of("command", "file_path", "path", "pattern", "url", "query", "prompt", "plan");

    private ToolInput() {}

    /** The one member that tells most, or all of it in short. */
    public static String summary(RawJson input) {
        try {
            var object = JsonObject.parse(input);
            for (var name : TELLING) {
                var value = object.string(name);
                if (value.isPresent()) {
                    return Printable.line(value.get());
                }
            }
        } catch (MalformedJsonException e) {
            // shown as it is
        }
        return input.equals(RawJson.EMPTY_OBJECT) ? "" : Printable.line(input.toString());
    }

    /** Member by member; a change of a file as the lines that go and come. */
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

    /** At most so much of it, and a line that tells what is missing. */
    public static List<String> shortened(List<String> lines, int maxLines, int maxChars) {
        var shown = new ArrayList<String>();
        int left = maxChars;
        for (var line : lines) {
            if (shown.size() == maxLines || line.length() > left) {
                int missing = lines.size() - shown.size();
                shown.add("… and %d more %s".formatted(missing, missing == 1 ? "line" : "lines"));
                return shown;
            }
            shown.add(line);
            left -= line.length();
        }
        return shown;
    }

    /** As a text to be edited: valid JSON, one member a line. */
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
