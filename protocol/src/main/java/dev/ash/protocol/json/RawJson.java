package dev.ash.protocol.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One JSON value as a slice of the bytes it was received in. It is forwarded without being
 * serialized again, so that messages of an engine reach clients unchanged.
 */
public final class RawJson {
    public static final RawJson NULL = of("null");
    public static final RawJson EMPTY_OBJECT = of("{}");

    private final byte[] bytes;
    private final int offset;
    private final int length;

    /** Does not copy the bytes: the caller must not modify them afterwards. */
    public RawJson(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
    }

    public RawJson(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    public static RawJson of(String json) {
        return new RawJson(json.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a JSON string with this text as its value. */
    public static RawJson string(String text) {
        return new JsonWriter().value(text).toRawJson();
    }

    public int length() {
        return length;
    }

    public byte byteAt(int index) {
        return bytes[offset + index];
    }

    public byte[] toBytes() {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }

    public void writeTo(OutputStream out) throws IOException {
        out.write(bytes, offset, length);
    }

    /**
     * Writes a JSON string that contains this JSON as its text. Only ASCII bytes need escapes, so
     * nothing is decoded.
     */
    public void writeQuotedTo(OutputStream out) throws IOException {
        var chunk = new byte[Math.min(8 * 1024, 6 * length + 2)];
        int count = 0;
        chunk[count++] = '"';
        for (int i = offset; i < offset + length; i++) {
            if (count + 6 > chunk.length) {
                out.write(chunk, 0, count);
                count = 0;
            }
            byte b = bytes[i];
            if (b == '"' || b == '\\') {
                chunk[count++] = '\\';
                chunk[count++] = b;
            } else if (b >= 0 && b < ' ') {
                for (char c : escape(b).toCharArray()) {
                    chunk[count++] = (byte) c;
                }
            } else {
                chunk[count++] = b;
            }
        }
        out.write(chunk, 0, count);
        out.write('"');
    }

    private static String escape(byte control) {
        return switch (control) {
            case '\b' -> "\\b";
            case '\t' -> "\\t";
            case '\n' -> "\\n";
            case '\f' -> "\\f";
            case '\r' -> "\\r";
            default -> String.format("\\u%04X", (int) control);
        };
    }

    /** Returns the text of a JSON string that has only ASCII characters and no escapes. */
    String asciiText() {
        return new String(bytes, offset + 1, length - 2, StandardCharsets.ISO_8859_1);
    }

    byte[] array() {
        return bytes;
    }

    int start() {
        return offset;
    }

    /**
     * Returns the same value with every carriage return and line feed between its tokens replaced
     * by a space. JSON strings cannot contain them unescaped, so the value is equal; in an event
     * stream a line break would allow an engine to inject frames.
     */
    public RawJson onOneLine() {
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\r' || bytes[i] == '\n') {
                var copy = toBytes();
                for (int j = 0; j < copy.length; j++) {
                    if (copy[j] == '\r' || copy[j] == '\n') {
                        copy[j] = ' ';
                    }
                }
                return new RawJson(copy);
            }
        }
        return this;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawJson that
                && Arrays.equals(
                        bytes,
                        offset,
                        offset + length,
                        that.bytes,
                        that.offset,
                        that.offset + that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return new String(bytes, offset, length, StandardCharsets.UTF_8);
    }
}
