package dev.ash.protocol.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a byte stream into lines of bounded length and checks that each is valid UTF-8. Bytes are
 * not decoded, so a character may span two reads. Not thread-safe.
 */
public final class JsonLinesReader {
    private static final int CHUNK = 64 * 1024;

    private final InputStream in;
    private final int maxLineBytes;
    private GrowthGuard guard = _ -> {};
    private byte[] buffer = new byte[8 * 1024];
    private int start;
    private int end;

    public JsonLinesReader(InputStream in, int maxLineBytes) {
        this.in = in;
        this.maxLineBytes = maxLineBytes;
    }

    /** Called before the buffer of a large line grows; may block, or throw to reject the line. */
    public interface GrowthGuard {
        /** Reserves memory for a buffer of this size. */
        void grow(int bytes);
    }

    public void guardGrowth(GrowthGuard growthGuard) {
        guard = growthGuard;
    }

    /**
     * Returns the next line that is not blank, without its newline, or null at the end of the
     * stream. Text after the last newline is an incomplete line and is not returned.
     */
    public @Nullable RawJson next() throws IOException {
        int scanned = start;
        while (true) {
            for (int i = scanned; i < end; i++) {
                if (buffer[i] == '\n') {
                    var line = line(i);
                    if (line != null) {
                        return line;
                    }
                }
            }
            if (end - start > maxLineBytes) {
                throw tooLong();
            }
            scanned = end - compact();
            int count = in.read(buffer, end, buffer.length - end);
            if (count < 0) {
                return null;
            }
            end += count;
        }
    }

    /** Returns the number of bytes after the last newline; positive if the writer was cut off. */
    public int pendingBytes() {
        return end - start;
    }

    private @Nullable RawJson line(int newline) throws IOException {
        int from = start;
        start = newline + 1;
        if (newline - from > maxLineBytes) {
            throw tooLong();
        }
        if (isBlank(from, newline)) {
            return null;
        }
        if (!Utf8.isValid(buffer, from, newline)) {
            throw new MalformedJsonException("line is not valid UTF-8");
        }
        if (newline - from > CHUNK && newline - from > buffer.length / 2) {
            return detach(from, newline);
        }
        return new RawJson(Arrays.copyOfRange(buffer, from, newline));
    }

    /**
     * Returns a large line without a copy: the line keeps the buffer and the reader gets a new one.
     */
    private RawJson detach(int from, int newline) {
        var line = new RawJson(buffer, from, newline - from);
        var rest = new byte[Math.max(CHUNK, end - start)];
        System.arraycopy(buffer, start, rest, 0, end - start);
        buffer = rest;
        end -= start;
        start = 0;
        return line;
    }

    /** Makes space in the buffer; returns the number of bytes by which pending bytes were moved. */
    private int compact() {
        int moved = start;
        int pending = end - start;
        if (moved > 0) {
            System.arraycopy(buffer, start, buffer, 0, pending);
            start = 0;
            end = pending;
        }
        if (buffer.length - end < 4 * 1024) {
            int maxSize = (int) Math.min(Integer.MAX_VALUE - 8L, maxLineBytes + 2L * CHUNK);
            int newSize = Math.max(buffer.length + CHUNK, Math.min(buffer.length * 2, maxSize));
            if (newSize > 4 * CHUNK) {
                guard.grow(newSize);
            }
            buffer = Arrays.copyOf(buffer, newSize);
        } else if (pending == 0 && buffer.length > 4 * CHUNK) {
            buffer = new byte[CHUNK]; // do not retain the memory of one large line
        }
        return moved;
    }

    private boolean isBlank(int from, int to) {
        for (int i = from; i < to; i++) {
            if (buffer[i] != ' ' && buffer[i] != '\r' && buffer[i] != '\t') {
                return false;
            }
        }
        return true;
    }

    private MalformedJsonException tooLong() {
        return new MalformedJsonException("line is longer than " + maxLineBytes + " bytes");
    }
}
