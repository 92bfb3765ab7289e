package dev.ash.protocol.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a byte stream into lines. Bytes are never decoded on the way, so a character that straddles
 * two reads stays whole; each line is checked to be UTF-8 and bounded. For one thread at a time.
 */
public final class JsonLinesReader {
    private static final int CHUNK = 64 * 1024;

    private final InputStream in;
    private final int maxLineBytes;
    private Room room = _ -> {};
    private byte[] buffer = new byte[8 * 1024];
    private int start;
    private int end;

    public JsonLinesReader(InputStream in, int maxLineBytes) {
        this.in = in;
        this.maxLineBytes = maxLineBytes;
    }

    /** Asked before the buffer of a large line grows to this many bytes; may wait, or refuse. */
    public interface Room {
        void grow(int bytes);
    }

    public void room(Room asked) {
        room = asked;
    }

    /**
     * The next line without its newline, blank lines skipped; null at the end of the stream. Text
     * after the last newline was cut off in the middle and is not a line.
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

    /** Bytes that came after the last newline: not empty if the writer was cut off. */
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
            throw new MalformedJsonException("a line that is not UTF-8");
        }
        if (newline - from > CHUNK && newline - from > buffer.length / 2) {
            return handedOver(from, newline);
        }
        return new RawJson(Arrays.copyOfRange(buffer, from, newline));
    }

    /** A large line keeps the buffer that it was read into, instead of being copied. */
    private RawJson handedOver(int from, int newline) {
        var line = new RawJson(buffer, from, newline - from);
        var rest = new byte[Math.max(CHUNK, end - start)];
        System.arraycopy(buffer, start, rest, 0, end - start);
        buffer = rest;
        end -= start;
        start = 0;
        return line;
    }

    /** Makes room to read, and tells by how much the pending bytes moved. */
    private int compact() {
        int moved = start;
        int pending = end - start;
        if (moved > 0) {
            System.arraycopy(buffer, start, buffer, 0, pending);
            start = 0;
            end = pending;
        }
        if (buffer.length - end < 4 * 1024) {
            int most = (int) Math.min(Integer.MAX_VALUE - 8L, maxLineBytes + 2L * CHUNK);
            int larger = Math.max(buffer.length + CHUNK, Math.min(buffer.length * 2, most));
            if (larger > 4 * CHUNK) {
                room.grow(larger);
            }
            buffer = Arrays.copyOf(buffer, larger);
        } else if (pending == 0 && buffer.length > 4 * CHUNK) {
            buffer = new byte[CHUNK]; // one huge line should not cost its size for ever
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
        return new MalformedJsonException("a line longer than " + maxLineBytes + " bytes");
    }
}
