package dev.ash.protocol.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * Writes one JSON value to a byte buffer. Unlike Jackson's generator, it copies a {@link RawJson}
 * as bytes without decoding and encoding it again.
 */
public final class JsonWriter {
    private final Buffer out = new Buffer();
    private boolean needsComma;

    /** Doubles its size for small values, and grows only as needed for a large one. */
    private static final class Buffer extends ByteArrayOutputStream {
        private static final int LARGE = 64 * 1024;

        private Buffer() {
            super(128);
        }

        private void append(byte[] bytes, int offset, int length) {
            if (length > LARGE && count + length > buf.length) {
                buf = Arrays.copyOf(buf, count + length + 128);
            }
            write(bytes, offset, length);
        }

        /** Avoids a copy if the buffer is almost full; the buffer must not be used afterwards. */
        private RawJson toRawJson() {
            return count > LARGE && buf.length - count < count / 8
                    ? new RawJson(buf, 0, count)
                    : new RawJson(toByteArray());
        }
    }

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

    /**
     * Writes the bytes unchanged, except for line breaks between tokens: the output is one line.
     */
    public JsonWriter value(RawJson json) {
        comma();
        var line = json.onOneLine();
        out.append(line.array(), line.start(), line.length());
        needsComma = true;
        return this;
    }

    private JsonWriter literal(String text) {
        comma();
        ascii(text);
        needsComma = true;
        return this;
    }

    /** Writes nothing if the value is null: the wire formats omit absent fields. */
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
        if (value == null) {
            return this;
        }
        if (!Double.isFinite(value.doubleValue())) {
            throw new IllegalArgumentException(name + " is not a finite number");
        }
        return name(name).literal(value.toString());
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

    /** Closes the object opened by {@link #object()} and returns it. */
    public RawJson end() {
        return close('}').toRawJson();
    }

    /** Returns the written value. The writer must not be used afterwards. */
    public RawJson toRawJson() {
        return out.toRawJson();
    }

    private void comma() {
        if (needsComma) {
            out.write(',');
        }
    }

    private void quoted(String text) {
        out.write('"');
        if (isPlain(text)) {
            ascii(text);
        } else {
            quotedSpecial(text);
        }
        out.write('"');
    }

    /** Most texts have no character to escape; in an interpreted JVM, one short loop is faster. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return false;
            }
        }
        return true;
    }

    /** Escapes unpaired surrogates: they have no UTF-8 form, but clients can send them escaped. */
    private void quotedSpecial(String text) {
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (!Character.isSurrogate(text.charAt(i))) {
                continue;
            }
            if (Character.charCount(text.codePointAt(i)) == 2) {
                i++;
            } else {
                escaped(text.substring(from, i));
                ascii("\\u" + Integer.toHexString(text.charAt(i)));
                from = i + 1;
            }
        }
        escaped(text.substring(from));
    }

    private void escaped(String text) {
        var encoded = JsonStringEncoder.getInstance().quoteAsUTF8(text);
        out.write(encoded, 0, encoded.length);
    }

    private void ascii(String text) {
        var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        out.write(bytes, 0, bytes.length);
    }
}
