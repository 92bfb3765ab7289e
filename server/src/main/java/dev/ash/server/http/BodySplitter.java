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
 * Takes the long texts out of a JSON body while it arrives: they go to a {@link Spool}, and the
 * rest, with a name in the place of each, is read as usual. Only as much JSON is understood here as
 * that needs; whether it is JSON at all is found out by whoever reads the rest.
 *
 * <p>A text is named by its place: {@code bundle}, or {@code files[].content}.
 */
final class BodySplitter {
    private static final int MAX_KEY = 64;

    private final Set<String> places;
    private final Spool spool;
    private final int maxRest;
    private final Runnable isLarge;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream(1024);
    private final StringBuilder text =
            new StringBuilder(); // the last one, as far as it may be a key
    private State state = State.BETWEEN;
    private int depth;
    private String topKey = "";
    private String key = "";
    private boolean isValue;
    private int unit; // of an escape with digits
    private int digits;

    private enum State {
        BETWEEN,
        TEXT,
        TEXT_ESCAPE,
        SPOOLED,
        SPOOLED_ESCAPE,
        SPOOLED_DIGITS
    }

    /** {@code isLarge} is told once if the rest turns out to be more than small. */
    BodySplitter(Set<String> places, Spool spool, int maxRest, Runnable isLarge) {
        this.places = places;
        this.spool = spool;
        this.maxRest = maxRest;
        this.isLarge = isLarge;
    }

    /** Reads all of it, at most {@code limit} bytes, and returns the rest. */
    byte[] split(InputStream in, long limit, Runnable tooLong) throws IOException {
        var chunk = new byte[64 * 1024];
        long total = 0;
        for (int count = read(in, chunk); count >= 0; count = read(in, chunk)) {
            total += count;
            if (total > limit) {
                tooLong.run();
            }
            for (int i = 0; i < count; ) {
                int plain = state == State.SPOOLED ? plainBytes(chunk, i, count) : 0;
                if (plain > 0) {
                    spool.write(chunk, i, plain);
                    i += plain;
                } else {
                    take(chunk[i++]);
                }
            }
        }
        spool.end();
        return rest.toByteArray();
    }

    private static int read(InputStream in, byte[] chunk) throws IOException {
        return ProcessorShares.await(() -> in.read(chunk));
    }

    /** How many bytes from here are spooled as they are. */
    private static int plainBytes(byte[] chunk, int from, int to) {
        int i = from;
        while (i < to && chunk[i] != '"' && chunk[i] != '\\' && (chunk[i] & 0xE0) != 0) {
            i++;
        }
        return i - from;
    }

    private void take(byte b) throws IOException {
        switch (state) {
            case BETWEEN -> between(b);
            case TEXT -> {
                keep(b);
                if (b == '"') {
                    state = State.BETWEEN;
                } else if (b == '\\') {
                    state = State.TEXT_ESCAPE;
                } else if (text.length() < MAX_KEY) {
                    text.append((char) (b & 0xFF));
                }
            }
            case TEXT_ESCAPE -> {
                keep(b);
                text.append("\\"); // no key that is looked for has an escape
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
        keep(b);
    }

    private boolean isSpooled() {
        return depth == 1
                ? places.contains(key)
                : depth == 3 && places.contains(topKey + "[]." + key);
    }

    private void spooled(byte b) throws IOException {
        if (b == '"') {
            keep('"' + spool.endText() + '"');
            state = State.BETWEEN;
            isValue = false;
        } else if (b == '\\') {
            state = State.SPOOLED_ESCAPE;
        } else if (b >= 0 && b < ' ') {
            throw new ApiException(
                    ErrorCode.INVALID_JSON, "The body has a control character in a string");
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
                            ErrorCode.INVALID_JSON, "The body has an unknown escape in a string");
        }
    }

    private void digit(byte b) throws IOException {
        int value = Character.digit(b, 16);
        if (value < 0) {
            throw new ApiException(
                    ErrorCode.INVALID_JSON, "The body has an unknown escape in a string");
        }
        unit = unit << 4 | value;
        if (++digits == 4) {
            // The texts are base64: what is not ASCII is as wrong as this.
            spool.write(unit < 0x80 ? (byte) unit : (byte) '?');
            state = State.SPOOLED;
        }
    }

    private void keep(String ascii) {
        for (byte b : ascii.getBytes(StandardCharsets.US_ASCII)) {
            keep(b);
        }
    }

    private void keep(byte b) {
        if (rest.size() >= maxRest) {
            throw new ApiException(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    "The body has more than %d MiB besides the contents of files"
                            .formatted(maxRest / (1024 * 1024)));
        }
        if (rest.size() == MemoryBudgets.SMALL_BYTES) {
            isLarge.run();
        }
        rest.write(b);
    }
}
