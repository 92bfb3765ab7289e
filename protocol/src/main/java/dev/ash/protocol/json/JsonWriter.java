package dev.ash.protocol.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.JsonStringEncoder;

/**
 * Writes one JSON value by appending to bytes. It exists beside Jackson's generator because ours
 * copies a {@link RawJson} as bytes, where Jackson's would decode and encode it again.
 */
public final class JsonWriter {
    private final Buffer out = new Buffer();
    private boolean needsComma;

    /** Grows by doubling for small values, and by no more than needed for a large one. */
    private static final class Buffer extends ByteArrayOutputStream {
        private static final int LARGE = 64 * 1024;

        private Buffer() {
            super(128);
        }

        private void large(byte[] bytes, int offset, int length) {
            if (length > LARGE && count + length > buf.length) {
                buf = Arrays.copyOf(buf, count + length + 128);
            }
            write(bytes, offset, length);
        }

        /** Without a copy where there is little to spare; nothing may be written afterwards. */
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

    /** The bytes as they are, but for line breaks between tokens: what we write must be a line. */
    public JsonWriter value(RawJson json) {
        comma();
        var line = json.onOneLine();
        out.large(line.array(), line.start(), line.length());
        needsComma = true;
        return this;
    }

    private JsonWriter literal(String text) {
        comma();
        ascii(text);
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
        if (value == null) {
            return this;
        }
        if (!Double.isFinite(value.doubleValue())) {
            throw new IllegalArgumentException(name + " is not a number that JSON can hold");
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

    /** Closes the object begun by {@link #object()}. */
    public RawJson end() {
        return close('}').toRawJson();
    }

    /** The last call: what was written is handed over. */
    public RawJson toRawJson() {
        return out.toRawJson();
    }

    private void comma() {
        if (needsComma) {
            out.write(',');
        }
    }

    /** Half a surrogate pair has no UTF-8 form, but clients can send one as an escape: so do we. */
    private void quoted(String text) {
        out.write('"');
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
        out.write('"');
    }

    private void escaped(String text) {
        var encoded = JsonStringEncoder.getInstance().quoteAsUTF8(text);
        out.write(encoded, 0, encoded.length);
    }

    private void ascii(String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        out.write(bytes, 0, bytes.length);
    }
}
