package dev.ash.server.http;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** A parsed path template such as {@code /api/agents/{name}/files/{path*}}. */
record PathTemplate(List<Part> parts) {
    private static final Pattern VARIABLE = Pattern.compile("\\{([A-Za-z]+)(\\*?)}");

    sealed interface Part {}

    record Literal(String text) implements Part {}

    record Variable(String name) implements Part {}

    /** One or more segments up to the end of the path. */
    record Tail(String name) implements Part {}

    static PathTemplate parse(String template) {
        if (!template.startsWith("/") || (template.length() > 1 && template.endsWith("/"))) {
            throw invalid(template, "it must start with a slash and not end with one");
        }
        var parts = new ArrayList<Part>();
        if (template.length() > 1) {
            for (var segment : template.substring(1).split("/", -1)) {
                parts.add(part(template, segment));
            }
        }
        if (parts.stream().limit(Math.max(0, parts.size() - 1)).anyMatch(Tail.class::isInstance)) {
            throw invalid(template, "only the last part can be a tail");
        }
        var parsed = new PathTemplate(List.copyOf(parts));
        var names = parsed.variables();
        if (new HashSet<>(names).size() != names.size()) {
            throw invalid(template, "a variable name is used twice");
        }
        return parsed;
    }

    /** Returns the variable names from left to right. */
    List<String> variables() {
        var names = new ArrayList<String>();
        for (var part : parts) {
            switch (part) {
                case Literal _ -> {}
                case Variable(var name) -> names.add(name);
                case Tail(var name) -> names.add(name);
            }
        }
        return names;
    }

    private static Part part(String template, String segment) {
        var variable = VARIABLE.matcher(segment);
        if (variable.matches()) {
            var name = variable.group(1);
            return variable.group(2).isEmpty() ? new Variable(name) : new Tail(name);
        }
        if (segment.isEmpty() || segment.indexOf('{') >= 0 || segment.indexOf('}') >= 0) {
            throw invalid(template, "a segment is empty or has stray braces");
        }
        return new Literal(segment);
    }

    private static IllegalArgumentException invalid(String template, String why) {
        return new IllegalArgumentException("Invalid path template " + template + ": " + why);
    }
}
