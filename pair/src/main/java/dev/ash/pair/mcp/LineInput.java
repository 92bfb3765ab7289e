package dev.ash.pair.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a stream. One that is too long is read past and given as its beginning, which is no JSON
 * and so refused, and the stream goes on; the reader of JSON lines would end there.
 */
final class LineInput {
    /** A message of the largest size, with every sign of it escaped, is shorter. */
    private static final int MAX_BYTES = 64 * 1024 * 1024;

    private static final int SHOWN_OF_TOO_LONG = 16;

    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int at;
    private int end;

    LineInput(InputStream in) {
        this.in = in;
    }

    /** Null at the end. Blank lines, and one that was cut off by the end, are none. */
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
                    return Arrays.copyOf(line.toByteArray(), SHOWN_OF_TOO_LONG);
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
        for (byte sign : line) {
            if (sign != ' ' && sign != '\t' && sign != '\r') {
                return false;
            }
        }
        return true;
    }
}
