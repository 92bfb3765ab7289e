package dev.ash.protocol.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * Writes one JSON value by appending to bytes. It exists beside Jackson's generator because ours
 * copies a {@link RawJson} as bytes, where Jackson's would decode and encode it again.
 */
public final class JsonWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(128);
    private boolean needsComma;

    public static JsonWriter object() {
        return new JsonWriter().open('{');
    }

    public JsonWriter open(char bracket) {
        comma();
        out.write(bracket);
        needsComma = false;
        return this;
    }

    public JsonWriter close(char bracket) {
        out.write(bracket);
        needsComma = true;
        return this;
    }

    public JsonWriter name(String name) {
        comma();
        quoted(name);
        out.write(':');
        needsComma = false;
        return this;
    }

    public JsonWriter value(String text) {
        comma();
        quoted(text);
        needsComma = true;
        return this;
    }

    public JsonWriter value(RawJson json) {
        comma();
        out.write(json.array(), json.start(), json.length());
        needsComma = true;
        return this;
    }

    private JsonWriter literal(String ascii) {
        comma();
        var bytes = ascii.getBytes(StandardCharsets.US_ASCII);
        out.write(bytes, 0, bytes.length);
        needsComma = true;
        return this;
    }

    /** Writes nothing where the value is null: absent is how null travels. */
    public JsonWriter put(String name, @Nullable String value) {
        return value == null ? this : name(name).value(value);
    }

    public JsonWriter put(String name, @Nullable RawJson value) {
        return value == null ? this : name(name).value(value);
    }

    public JsonWriter put(String name, long value) {
        return name(name).literal(Long.toString(value));
    }

    public JsonWriter put(String name, @Nullable Number value) {
        return value == null ? this : name(name).literal(value.toString());
    }

    public JsonWriter put(String name, boolean value) {
        return name(name).literal(Boolean.toString(value));
    }

    public JsonWriter putNull(String name) {
        return name(name).literal("null");
    }

    public JsonWriter put(String name, Iterable<String> values) {
        name(name).open('[');
        values.forEach(this::value);
        return close(']');
    }

    public JsonWriter put(String name, Map<String, String> values) {
        name(name).open('{');
        values.forEach(this::put);
        return close('}');
    }

    /** Closes the object begun by {@link #object()}. */
    public RawJson end() {
        return close('}').toRawJson();
    }

    public RawJson toRawJson() {
        return new RawJson(out.toByteArray());
    }

    private void comma() {
        if (needsComma) {
            out.write(',');
        }
    }

    private void quoted(String text) {
        out.write('"');
        var encoded = JsonStringEncoder.getInstance().quoteAsUTF8(text);
        out.write(encoded, 0, encoded.length);
        out.write('"');
    }
}
