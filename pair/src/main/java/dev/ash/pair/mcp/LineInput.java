package dev.ash.pair.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of a stream. Of a line that is too long it returns only the start, which is rejected
 * as invalid JSON, and continues with the next line; the regular JSON lines reader would fail
 * there.
 */
final class LineInput {
    /** Longer than the largest message with all characters escaped. */
    private static final int MAX_BYTES = 64 * 1024 * 1024;

    private static final int KEPT_OF_TOO_LONG = 16;

    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int at;
    private int end;

    LineInput(InputStream in) {
        this.in = in;
    }

    /**
     * Returns the next line, or null at the end. Skips blank lines and an unterminated last line.
     */
    byte @Nullable [] next() throws IOException {
        var line = new ByteArrayOutputStream();
        boolean tooLong = false;
        while (true) {
            if (at == end) {
                at = 0;
                end = Math.max(0, in.read(buffer));
                if (end == 0) {
                    return null;
                }
            }
            int from = at;
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            tooLong |= line.size() + (at - from) > MAX_BYTES;
            line.write(buffer, from, tooLong ? 0 : at - from);
            if (at < end) {
                at++;
                if (tooLong) {
                    return Arrays.copyOf(line.toByteArray(), KEPT_OF_TOO_LONG);
                }
                var bytes = line.toByteArray();
                if (!isBlank(bytes)) {
                    return bytes;
                }
                line.reset();
            }
        }
    }

    private static boolean isBlank(byte[] line) {
        for (byte value : line) {
            if (value != ' ' && value != '\t' && value != '\r') {
                return false;
            }
        }
        return true;
    }
}
