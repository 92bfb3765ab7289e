package dev.ash.server.http;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.NearMiss;
import dev.ash.protocol.json.RawJson;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Finds fields of a JSON object that its record does not have. They are accepted, but when a
 * request is rejected they are often the reason: a client sent {@code prompt} instead of {@code
 * content}.
 */
final class UnknownFields {
    private static final int MAX_NAMED = 5;
    private static final int MAX_NAME = 40;

    private final RecordComponent[] components;
    private final Map<String, JsonToken> fields;

    private UnknownFields(Class<?> type, Map<String, JsonToken> fields) {
        this.components = type.getRecordComponents();
        this.fields = fields;
    }

    /**
     * Returns text to append to an error message; empty if there are no unknown fields. {@code
     * path} leads from the root of the document to the rejected field, and {@code missing} is true
     * if this field was absent or null.
     */
    static String messages(
            byte[] json, Class<?> root, List<JacksonException.Reference> path, boolean missing) {
        var parents = path.isEmpty() ? path : path.subList(0, path.size() - 1);
        var type = resolve(root, parents);
        if (type.isEmpty()) {
            return "";
        }
        try (var parser = Json.MAPPER.createParser(json)) {
            var unknown = new UnknownFields(type.get(), fields(parser, parents));
            var rejected = path.isEmpty() || !missing ? null : path.getLast().getPropertyName();
            return unknown.describe(rejected);
        } catch (JacksonException e) {
            return ""; // malformed JSON after this object: report only the first error
        }
    }

    private String describe(@Nullable String missing) {
        var text = new StringBuilder();
        var unknown = fields.keySet().stream().filter(name -> component(name).isEmpty()).toList();
        for (var name : unknown.stream().limit(MAX_NAMED).toList()) {
            text.append(text.toString().endsWith("?") ? " " : ". ")
                    .append(shorten(name))
                    .append(": unknown field");
            suggestion(name, unknown, missing)
                    .ifPresent(known -> text.append("; did you mean ").append(known).append('?'));
        }
        if (unknown.size() > MAX_NAMED) {
            text.append(text.toString().endsWith("?") ? " " : ". ")
                    .append(unknown.size() - MAX_NAMED)
                    .append(" more unknown fields");
        }
        return text.toString();
    }

    /** Suggests a similar unused name, or else the missing field if only this one fits it. */
    private Optional<String> suggestion(
            String name, List<String> unknown, @Nullable String missing) {
        var free =
                Arrays.stream(components)
                        .map(RecordComponent::getName)
                        .filter(known -> !fields.containsKey(known) || known.equals(missing))
                        .toList();
        var near = NearMiss.of(name, free);
        if (near.isPresent() || missing == null) {
            return near;
        }
        boolean isOnly =
                fits(name, missing)
                        && unknown.stream()
                                .filter(other -> NearMiss.of(other, free).isEmpty())
                                .noneMatch(other -> !other.equals(name) && fits(other, missing));
        boolean isTaken =
                unknown.stream()
                        .anyMatch(other -> NearMiss.of(other, free).equals(Optional.of(missing)));
        return isOnly && !isTaken ? Optional.of(missing) : Optional.empty();
    }

    /** Whether the value's JSON type fits the missing field. */
    private boolean fits(String name, String missing) {
        var type = component(missing).map(RecordComponent::getType).orElse(null);
        var token = fields.get(name);
        if (type == null || token == null) {
            return false;
        }
        if (type == RawJson.class) {
            return token == JsonToken.VALUE_STRING || token.isStructStart();
        }
        if (type == String.class) {
            return token == JsonToken.VALUE_STRING;
        }
        if (type == boolean.class || type == Boolean.class) {
            return token.isBoolean();
        }
        if (type == List.class) {
            return token == JsonToken.START_ARRAY;
        }
        boolean isNumber = type.isPrimitive() || Number.class.isAssignableFrom(type);
        return isNumber ? token.isNumeric() : token == JsonToken.START_OBJECT;
    }

    private Optional<RecordComponent> component(String name) {
        return Arrays.stream(components).filter(c -> c.getName().equals(name)).findFirst();
    }

    private static String shorten(String name) {
        return Excerpt.of(name.replaceAll("\\p{Cntrl}", "?"), MAX_NAME);
    }

    /** Resolves a path through records, lists and maps to a record type. */
    private static Optional<Class<?>> resolve(
            Class<?> root, List<JacksonException.Reference> path) {
        Type type = root;
        for (var step : path) {
            var next = step(type, step.getPropertyName());
            if (next.isEmpty()) {
                return Optional.empty();
            }
            type = next.get();
        }
        return type instanceof Class<?> found && found.isRecord()
                ? Optional.of(found)
                : Optional.empty();
    }

    private static Optional<Type> step(Type type, @Nullable String field) {
        return switch (type) {
            case ParameterizedType generic -> {
                var arguments = generic.getActualTypeArguments();
                yield Optional.of(arguments[arguments.length - 1]);
            }
            case Class<?> plain when plain.isRecord() ->
                    Arrays.stream(plain.getRecordComponents())
                            .filter(component -> component.getName().equals(field))
                            .map(RecordComponent::getGenericType)
                            .findFirst();
            default -> Optional.empty();
        };
    }

    /** Returns the fields of the object at the path, each with the first token of its value. */
    private static Map<String, JsonToken> fields(
            JsonParser parser, List<JacksonException.Reference> path) {
        parser.nextToken();
        for (var step : path) {
            if (!enter(parser, step)) {
                return Map.of();
            }
        }
        var fields = new LinkedHashMap<String, JsonToken>();
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                var name = parser.currentName();
                fields.put(name, parser.nextToken());
                parser.skipChildren();
            }
        }
        return fields;
    }

    /** Moves to the value of a field or the element of an array. */
    private static boolean enter(JsonParser parser, JacksonException.Reference step) {
        var name = step.getPropertyName();
        if (name == null) {
            for (int i = 0; i <= step.getIndex(); i++) {
                var token = parser.nextToken();
                if (token == null || token == JsonToken.END_ARRAY) {
                    return false;
                }
                if (i < step.getIndex()) {
                    parser.skipChildren();
                }
            }
            return true;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean found = name.equals(parser.currentName());
            parser.nextToken();
            if (found) {
                return true;
            }
            parser.skipChildren();
        }
        return false;
    }
}
