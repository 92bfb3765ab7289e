package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.processor.ProcessorShares;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Moves long strings of a JSON body to a {@link Spool} while the body arrives, and repaths each by
 * a name in the remaining JSON. Parses only as much JSON as this needs; the reader of the remaining
 * JSON validates it.
 *
 * <p>The strings are identified by their path: {@code bundle}, or {@code files[].content}.
 */
final class BodySplitter {
    private static final int MAX_KEY = 64;

    private final Set<String> paths;
    private final Spool spool;
    private final int maxRest;
    private final Runnable onLarge;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream(1024);
    private final StringBuilder text =
            new StringBuilder(); // the beginning of the last string, which may be a key
    private State state = State.BETWEEN;
    private int depth;
    private String topKey = "";
    private String key = "";
    private boolean isValue;
    private int unit; // the character of an escape with hexadecimal digits
    private int digits;

    private enum State {
        BETWEEN,
        TEXT,
        TEXT_ESCAPE,
        SPOOLED,
        SPOOLED_ESCAPE,
        SPOOLED_DIGITS
    }

    /** Calls {@code onLarge} once if the remaining JSON exceeds the size of a small body. */
    BodySplitter(Set<String> paths, Spool spool, int maxRest, Runnable onLarge) {
        this.paths = paths;
        this.spool = spool;
        this.maxRest = maxRest;
        this.onLarge = onLarge;
    }

    /** Reads the body, up to {@code limit} bytes, and returns the remaining JSON. */
    byte[] split(InputStream in, long limit, Runnable onTooLong) throws IOException {
        var chunk = new byte[64 * 1024];
        long total = 0;
        for (int count = read(in, chunk); count >= 0; count = read(in, chunk)) {
            total += count;
            if (total > limit) {
                onTooLong.run();
            }
            for (int i = 0; i < count; ) {
                int plain = state == State.SPOOLED ? plainBytes(chunk, i, count) : 0;
                if (plain > 0) {
                    spool.write(chunk, i, plain);
                    i += plain;
                } else {
                    accept(chunk[i++]);
                }
            }
        }
        spool.end();
        return rest.toByteArray();
    }

    private static int read(InputStream in, byte[] chunk) throws IOException {
        return ProcessorShares.await(() -> in.read(chunk));
    }

    /** Returns the number of following bytes that need no decoding. */
    private static int plainBytes(byte[] chunk, int from, int to) {
        int i = from;
        while (i < to && chunk[i] != '"' && chunk[i] != '\\' && (chunk[i] & 0xE0) != 0) {
            i++;
        }
        return i - from;
    }

    private void accept(byte b) throws IOException {
        switch (state) {
            case BETWEEN -> between(b);
            case TEXT -> {
                append(b);
                if (b == '"') {
                    state = State.BETWEEN;
                } else if (b == '\\') {
                    state = State.TEXT_ESCAPE;
                } else if (text.length() < MAX_KEY) {
                    text.append((char) (b & 0xFF));
                }
            }
            case TEXT_ESCAPE -> {
                append(b);
                text.append("\\"); // makes the key unequal to all paths, which have no escapes
                state = State.TEXT;
            }
            case SPOOLED -> spooled(b);
            case SPOOLED_ESCAPE -> escape(b);
            case SPOOLED_DIGITS -> digit(b);
        }
    }

    private void between(byte b) {
        switch (b) {
            case '"' -> {
                text.setLength(0);
                if (isValue && isSpooled()) {
                    state = State.SPOOLED;
                    return;
                }
                state = State.TEXT;
            }
            case ':' -> {
                key = text.toString();
                isValue = true;
                if (depth == 1) {
                    topKey = key;
                }
            }
            case '{', '[' -> {
                depth++;
                isValue = false;
            }
            case '}', ']' -> {
                depth--;
                isValue = false;
            }
            case ',' -> isValue = false;
            default -> {}
        }
        append(b);
    }

    private boolean isSpooled() {
        return depth == 1
                ? paths.contains(key)
                : depth == 3 && paths.contains(topKey + "[]." + key);
    }

    private void spooled(byte b) throws IOException {
        if (b == '"') {
            append('"' + spool.endText() + '"');
            state = State.BETWEEN;
            isValue = false;
        } else if (b == '\\') {
            state = State.SPOOLED_ESCAPE;
        } else if (b >= 0 && b < ' ') {
            throw new ApiException(
                    ErrorCode.INVALID_JSON,
                    "The body has an unescaped control character in a string");
        } else {
            spool.write(b);
        }
    }

    private void escape(byte b) throws IOException {
        state = State.SPOOLED;
        switch (b) {
            case 'n' -> spool.write((byte) '\n');
            case 'r' -> spool.write((byte) '\r');
            case 't' -> spool.write((byte) '\t');
            case 'b' -> spool.write((byte) '\b');
            case 'f' -> spool.write((byte) '\f');
            case '"', '\\', '/' -> spool.write(b);
            case 'u' -> {
                state = State.SPOOLED_DIGITS;
                unit = 0;
                digits = 0;
            }
            default ->
                    throw new ApiException(
                            ErrorCode.INVALID_JSON, "The body has an invalid escape in a string");
        }
    }

    private void digit(byte b) throws IOException {
        int value = Character.digit(b, 16);
        if (value < 0) {
            throw new ApiException(
                    ErrorCode.INVALID_JSON, "The body has an invalid escape in a string");
        }
        unit = unit << 4 | value;
        if (++digits == 4) {
            // The strings are base64, where any replacement of a non-ASCII character is invalid
            // too.
            spool.write(unit < 0x80 ? (byte) unit : (byte) '?');
            state = State.SPOOLED;
        }
    }

    private void append(String ascii) {
        for (byte b : ascii.getBytes(StandardCharsets.US_ASCII)) {
            append(b);
        }
    }

    private void append(byte b) {
        if (rest.size() >= maxRest) {
            throw new ApiException(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    "The body exceeds %d MiB without the contents of files"
                            .formatted(maxRest / (1024 * 1024)));
        }
        if (rest.size() == MemoryBudgets.SMALL_BYTES) {
            onLarge.run();
        }
        rest.write(b);
    }
}
