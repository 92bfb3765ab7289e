package dev.ash.protocol.engine;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.NearMiss;
import dev.ash.protocol.engine.EngineProfile.PromptInput;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads and checks the operator's engines. Every message names the field, such as {@code engines.x.env}. */
final class ConfiguredEngines {
    private static final String ROOT = "engines";
    private static final int MAX_CHARS = 64 * 1024; // it is passed to sandboxes as a variable
    private static final int MAX_ENGINES = 50;
    private static final int MAX_TEXT = 1000;

    private static final Set<String> FIELDS =
            Set.of(
                    "driver", "command", "args", "env", "provider", "model", "product", "aliases",
                    "prompt");

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern MODEL_PLACEHOLDER = Pattern.compile("\\{model\\.[^}\"]*}");

    private final String path;
    private final JsonObject json;

    private ConfiguredEngines(String path, JsonObject json) {
        this.path = path;
        this.json = json;
    }

    static List<ConfiguredEngine> parse(String text) {
        if (text.length() > MAX_CHARS) {
            throw ApiException.invalid(ROOT, "must have at most %,d characters".formatted(MAX_CHARS));
        }
        var engines = new ArrayList<ConfiguredEngine>();
        var json = object(ROOT, RawJson.of(text));
        if (json.names().size() > MAX_ENGINES) {
            throw ApiException.invalid(ROOT, "must have at most %d engines".formatted(MAX_ENGINES));
        }
        for (var name : json.names()) {
            var path = ROOT + "." + name;
            engines.add(
                    new ConfiguredEngines(path, object(path, json.present(name).orElseThrow()))
                            .read(name));
        }
        return engines;
    }

    private static JsonObject object(String path, RawJson text) {
        try {
            return JsonObject.parse(text);
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(path, "must be a JSON object: " + e.getMessage());
        }
    }

    private ConfiguredEngine read(String name) {
        requireKnownFields();
        return new ConfiguredEngine(
                path,
                engineName(name),
                choice("driver", List.of(EngineDriver.ACP, EngineDriver.COMMAND)),
                command(),
                arguments(),
                environment(),
                choice("provider", List.of(ModelProvider.values())),
                text("model"),
                text("product"),
                aliases(),
                choice("prompt", List.of(PromptInput.values())));
    }

    private void requireKnownFields() {
        for (var field : json.names()) {
            if (!FIELDS.contains(field)) {
                throw ApiException.invalid(
                        path + "." + field,
                        "is not a field of an engine; "
                                + NearMiss.of(field, FIELDS)
                                        .map(near -> "did you mean " + near + "?")
                                        .orElse("expected one of " + sorted(FIELDS)));
            }
        }
    }

    private static String sorted(Set<String> names) {
        return names.stream().sorted().collect(Collectors.joining(", "));
    }

    private EngineName engineName(String text) {
        if (text.equals(EngineProfiles.AUTO)) {
            throw ApiException.invalid(path, "auto is not a name of an engine; choose another name");
        }
        try {
            return new EngineName(text);
        } catch (ApiException e) {
            throw ApiException.invalid(
                    path, "the name must be 1 to 63 characters: lower-case letters, digits and -");
        }
    }

    private @Nullable String command() {
        var command = text("command");
        if (command != null && command.contains("/") && !command.startsWith("/")) {
            throw ApiException.invalid(
                    path + ".command",
                    "\"%s\" is relative; use an absolute path, or the name of a program on the PATH"
                            .formatted(command));
        }
        return command;
    }

    private @Nullable List<String> arguments() {
        if (json.present("args").isEmpty()) {
            return null;
        }
        try {
            var arguments = json.strings("args");
            arguments.forEach(argument -> checkTemplate("args", argument));
            return arguments;
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(path + ".args", "must be a list of strings");
        }
    }

    private @Nullable List<String> aliases() {
        if (json.present("aliases").isEmpty()) {
            return null;
        }
        try {
            var aliases = json.strings("aliases");
            aliases.forEach(this::engineName);
            return aliases;
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(path + ".aliases", "must be a list of strings");
        }
    }

    private Map<String, String> environment() {
        try {
            var environment = new LinkedHashMap<>(json.stringMap("env"));
            environment.forEach(this::checkVariable);
            return environment;
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(path + ".env", "must be an object with texts as values");
        }
    }

    private void checkVariable(String name, String value) {
        if (!VARIABLE.matcher(name).matches() || name.startsWith("ASH_")) {
            throw ApiException.invalid(
                    path + ".env." + name,
                    "is not a permitted name; use letters, digits and _, and not the prefix ASH_");
        }
        checkTemplate("env." + name, value);
    }

    private void checkTemplate(String field, String template) {
        if (template.indexOf('\0') >= 0) {
            throw ApiException.invalid(path + "." + field, "must not contain a NUL character");
        }
        var placeholders = MODEL_PLACEHOLDER.matcher(template);
        while (placeholders.find()) {
            if (!placeholders.group().equals("{model.url}")
                    && !placeholders.group().equals("{model.key}")) {
                throw ApiException.invalid(
                        path + "." + field,
                        "%s is not a placeholder; expected {model.url}, {model.key}, {model}, {home} or {workspace}"
                                .formatted(placeholders.group()));
            }
        }
    }

    private @Nullable String text(String field) {
        if (json.present(field).isEmpty()) {
            return null;
        }
        Optional<String> text;
        try {
            text = json.string(field);
        } catch (MalformedJsonException e) {
            text = Optional.empty();
        }
        return text.filter(value -> !value.isBlank() && value.length() <= MAX_TEXT)
                .filter(value -> value.chars().noneMatch(Character::isISOControl))
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        path + "." + field,
                                        "must be a text of 1 to %,d characters without control characters"
                                                .formatted(MAX_TEXT)));
    }

    /** Reads the lower-case name of a constant. */
    private <E extends Enum<E>> @Nullable E choice(String field, List<E> constants) {
        var value = text(field);
        if (value == null) {
            return null;
        }
        for (var constant : constants) {
            if (value.equals(wire(constant))) {
                return constant;
            }
        }
        throw ApiException.invalid(
                path + "." + field,
                "\"%s\" is not supported; expected %s"
                        .formatted(
                                value,
                                constants.stream()
                                        .map(ConfiguredEngines::wire)
                                        .collect(Collectors.joining(" or "))));
    }

    private static String wire(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
