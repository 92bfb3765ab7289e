package dev.ash.pair.mcp;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the arguments of a tool call, and rejects those that do not match the schema. */
final class Arguments {
    private final JsonObject object;

    private Arguments(JsonObject object) {
        this.object = object;
    }

    static Arguments of(RawJson json, Set<String> known) {
        JsonObject object;
        try {
            object = JsonObject.parse(json);
        } catch (MalformedJsonException e) {
            throw ApiException.invalid("arguments", "must be a JSON object");
        }
        for (var name : object.names()) {
            if (!known.contains(name)) {
                throw ApiException.invalid(
                        shortened(name),
                        "unknown argument; expected one of " + String.join(", ", known));
            }
        }
        return new Arguments(object);
    }

    /** Returns a required text, which may be empty. */
    String text(String name) {
        return optionalText(name)
                .orElseThrow(() -> ApiException.invalid(name, "is missing; expected a string"));
    }

    String nonBlank(String name) {
        var text = text(name);
        if (text.isBlank()) {
            throw ApiException.invalid(name, "is empty; expected some text");
        }
        return text;
    }

    Optional<String> optionalText(String name) {
        var value = object.raw(name);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    JsonObject.text(value.get())
                            .orElseThrow(() -> ApiException.invalid(name, "must be a string")));
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(name, "must be a string");
        }
    }

    /** Returns a text; empty if it is absent or empty. */
    Optional<String> filledText(String name) {
        return optionalText(name).filter(text -> !text.isEmpty());
    }

    /** Returns one of the given values; empty if it is absent or empty. */
    Optional<String> choice(String name, List<String> values) {
        var text = filledText(name);
        if (text.isPresent() && !values.contains(text.get())) {
            throw ApiException.invalid(
                    name,
                    "must be one of %s, not '%s'"
                            .formatted(String.join(", ", values), shortened(text.get())));
        }
        return text;
    }

    String requiredChoice(String name, List<String> values) {
        return choice(name, values)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        name,
                                        "is missing; expected one of "
                                                + String.join(", ", values)));
    }

    OptionalLong number(String name, long min, long max) {
        var rule = "must be a whole number from " + min + " to " + max;
        try {
            var number = object.number(name);
            if (number.isPresent() && (number.getAsLong() < min || number.getAsLong() > max)) {
                throw ApiException.invalid(name, rule);
            }
            return number;
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(name, rule);
        }
    }

    boolean flag(String name) {
        var value = object.raw(name).map(RawJson::toString).orElse("false");
        if (!value.equals("true") && !value.equals("false")) {
            throw ApiException.invalid(name, "must be true or false");
        }
        return value.equals("true");
    }

    List<RawJson> list(String name, int max) {
        try {
            var elements = JsonObject.elements(object.raw(name).orElse(RawJson.of("[]")));
            if (elements.size() > max) {
                throw ApiException.invalid(name, "has more than " + max + " elements");
            }
            return elements;
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(name, "must be an array");
        }
    }

    static String shortened(String text) {
        return Excerpt.of(text, 60);
    }
}
