package dev.ash.protocol.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON object parsed one level deep: its members are slices of the original text. Parsing checks
 * the syntax of the whole text, so every slice is well-formed.
 */
public final class JsonObject {
    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    // Leading NUL bytes would select UTF-16, where tokens have no byte offset.
                    .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxStringLength(64 * 1024 * 1024)
                                    .maxNestingDepth(500)
                                    .build())
                    .build();

    private final Map<String, RawJson> members;

    private JsonObject(Map<String, RawJson> members) {
        this.members = members;
    }

    public static JsonObject parse(RawJson text) throws MalformedJsonException {
        var members = new LinkedHashMap<String, RawJson>();
        try (var parser = parser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new MalformedJsonException("expected a JSON object");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                var name = parser.currentName();
                parser.nextToken();
                members.put(name, slice(text, parser));
            }
            requireEnd(parser);
        } catch (JacksonException e) {
            throw new MalformedJsonException(e);
        }
        return new JsonObject(members);
    }

    public static JsonObject parse(String text) throws MalformedJsonException {
        return parse(RawJson.of(text));
    }

    /** Returns the elements of a JSON array as slices. */
    public static List<RawJson> elements(RawJson array) throws MalformedJsonException {
        var elements = new ArrayList<RawJson>();
        try (var parser = parser(array)) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                throw new MalformedJsonException("expected a JSON array");
            }
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                elements.add(slice(array, parser));
            }
            requireEnd(parser);
        } catch (JacksonException e) {
            throw new MalformedJsonException(e);
        }
        return elements;
    }

    public Set<String> names() {
        return members.keySet();
    }

    /** Returns the member; empty if it is absent or {@code null}. */
    public Optional<RawJson> raw(String name) {
        return Optional.ofNullable(members.get(name)).filter(value -> !value.equals(RawJson.NULL));
    }

    /** Returns the member; unlike {@link #raw}, also if it is {@code null}. */
    public Optional<RawJson> present(String name) {
        return Optional.ofNullable(members.get(name));
    }

    public Optional<String> string(String name) throws MalformedJsonException {
        var value = members.get(name);
        if (value == null) {
            return Optional.empty();
        }
        return isPlainString(value) ? Optional.of(value.asciiText()) : text(value);
    }

    /** A member is well-formed: without escapes and multi-byte characters it needs no parser. */
    private static boolean isPlainString(RawJson member) {
        if (member.byteAt(0) != '"') {
            return false;
        }
        for (int i = 1; i < member.length() - 1; i++) {
            byte b = member.byteAt(i);
            if (b < 0 || b == '\\') {
                return false;
            }
        }
        return true;
    }

    public String requireString(String name) throws MalformedJsonException {
        return string(name)
                .orElseThrow(() -> new MalformedJsonException("expected a string " + name));
    }

    /** Returns the member if it is an object. */
    public Optional<JsonObject> object(String name) throws MalformedJsonException {
        var value = members.get(name);
        return value == null || value.byteAt(0) != '{'
                ? Optional.empty()
                : Optional.of(parse(value));
    }

    public boolean isTrue(String name) {
        var value = members.get(name);
        return value != null && value.toString().equals("true");
    }

    /** Returns an integer in any notation: {@code 30000}, {@code 3e4}, {@code 30000.0}. */
    public OptionalLong number(String name) throws MalformedJsonException {
        var value = raw(name);
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(new BigDecimal(value.get().toString()).longValueExact());
        } catch (ArithmeticException | NumberFormatException e) {
            throw new MalformedJsonException("expected an integer " + name);
        }
    }

    public OptionalInt integer(String name) throws MalformedJsonException {
        var number = number(name);
        if (number.isEmpty()) {
            return OptionalInt.empty();
        }
        long value = number.getAsLong();
        if (value != (int) value) {
            throw new MalformedJsonException("expected a 32-bit integer " + name);
        }
        return OptionalInt.of((int) value);
    }

    public List<String> strings(String name) throws MalformedJsonException {
        var array = raw(name);
        var texts = new ArrayList<String>();
        if (array.isPresent()) {
            for (var element : elements(array.get())) {
                texts.add(text(element).orElseThrow(() -> notStrings(name)));
            }
        }
        return texts;
    }

    public Map<String, String> stringMap(String name) throws MalformedJsonException {
        var nested = raw(name);
        var texts = new LinkedHashMap<String, String>();
        if (nested.isPresent()) {
            var object = parse(nested.get());
            for (var key : object.names()) {
                texts.put(key, object.string(key).orElseThrow(() -> notStrings(name)));
            }
        }
        return texts;
    }

    /** Returns the text of a JSON string; empty for any other value. */
    public static Optional<String> text(RawJson value) throws MalformedJsonException {
        try (var parser = parser(value)) {
            if (parser.nextToken() != JsonToken.VALUE_STRING) {
                return Optional.empty();
            }
            var text = parser.getString();
            requireEnd(parser);
            return Optional.of(text);
        } catch (JacksonException e) {
            throw new MalformedJsonException(e);
        }
    }

    private static MalformedJsonException notStrings(String name) {
        return new MalformedJsonException("expected only strings in " + name);
    }

    private static JsonParser parser(RawJson text) {
        return FACTORY.createParser(
                ObjectReadContext.empty(), text.array(), text.start(), text.length());
    }

    private static void requireEnd(JsonParser parser) throws MalformedJsonException {
        if (parser.nextToken() != null) {
            throw new MalformedJsonException("expected nothing after the value");
        }
    }

    private static RawJson slice(RawJson text, JsonParser parser) {
        int from = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        parser.finishToken();
        int to = (int) parser.currentLocation().getByteOffset();
        return new RawJson(text.array(), text.start() + from, to - from);
    }
}
