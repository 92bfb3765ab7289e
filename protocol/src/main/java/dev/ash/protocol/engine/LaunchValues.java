package dev.ash.protocol.engine;

import dev.ash.protocol.engine.EngineProfile.Launch;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of the placeholders in a {@link Launch}. An argument or variable with {@code {model}}
 * is omitted if there is no model. In a value that is a JSON object, the inserted values are
 * escaped.
 *
 * @param modelUrl replaces {@code {model.url}}: the origin of the model API, without a path
 * @param modelKey replaces {@code {model.key}}
 * @param model replaces {@code {model}}: the model that the session requests; empty for the default
 *     of the launch
 * @param home replaces {@code {home}}
 * @param workspace replaces {@code {workspace}}; {@code {absent:NAME}} is replaced by {@code false}
 *     if it contains a file of this name, and by {@code true} otherwise
 */
public record LaunchValues(
        String modelUrl, String modelKey, String model, String home, String workspace) {
    private static final String MODEL = "{model}";
    private static final String ABSENT = "{absent:";

    public List<String> arguments(Launch launch) {
        var arguments = new ArrayList<String>();
        for (var argument : launch.arguments()) {
            if (applies(argument, launch)) {
                arguments.add(expand(argument, launch));
            }
        }
        return arguments;
    }

    public Map<String, String> environment(Launch launch) {
        var environment = new LinkedHashMap<String, String>();
        for (var entry : launch.environment().entrySet()) {
            if (applies(entry.getValue(), launch)) {
                environment.put(entry.getKey(), expand(entry.getValue(), launch));
            }
        }
        return environment;
    }

    private boolean applies(String template, Launch launch) {
        return !template.contains(MODEL) || !model(launch).isEmpty();
    }

    private String model(Launch launch) {
        return model.isEmpty() ? launch.model() : model;
    }

    /** Inserts all values in one pass, so that a value is never searched for placeholders. */
    private String expand(String template, Launch launch) {
        boolean json = template.startsWith("{\"");
        var text = new StringBuilder();
        int position = 0;
        while (position < template.length()) {
            int open = template.indexOf('{', position);
            int close = open < 0 ? -1 : template.indexOf('}', open);
            if (close < 0) {
                break;
            }
            var name = template.substring(open, close + 1);
            var value = value(name, launch);
            text.append(template, position, open);
            if (value.equals(name)) {
                text.append('{');
                position = open + 1;
            } else {
                text.append(json ? escape(value) : value);
                position = close + 1;
            }
        }
        return text.append(template, position, template.length()).toString();
    }

    /** Returns the value of a placeholder, or the text itself if it is none. */
    private String value(String placeholder, Launch launch) {
        return switch (placeholder) {
            case "{model.url}" -> modelUrl;
            case "{model.key}" -> modelKey;
            case MODEL -> model(launch);
            case "{home}" -> home;
            case "{workspace}" -> workspace;
            default -> placeholder.startsWith(ABSENT) ? absent(placeholder) : placeholder;
        };
    }

    private String absent(String placeholder) {
        var name = placeholder.substring(ABSENT.length(), placeholder.length() - 1);
        var file = Path.of(workspace).resolve(name);
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? "false" : "true";
    }

    /** Escapes a value for a string in a JSON text, and removes control characters. */
    private static String escape(String value) {
        return value.replaceAll("\\p{Cntrl}", "").replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
