package dev.ash.server.repository;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads a file once, counting its lines and retaining a requested range. */
final class LineReader {
    /** The maximum size of a page in bytes; a longer single line is truncated. */
    static final int MAX_CONTENT = 1024 * 1024;

    /** The number of bytes to check for NUL, as git does. */
    private static final int BINARY_CHECK_BYTES = 8000;

    private final long from;
    private final long to;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private int line;
    private boolean inLine;
    private int count;
    private int completeBytes;
    private boolean isFull;
    private boolean binary;

    private LineReader(int offset, int limit) {
        this.from = offset;
        this.to = (long) offset + limit;
    }

    static TextPage read(InputStream in, String path, long size, int offset, int limit)
            throws IOException {
        var reader = new LineReader(offset, limit);
        var buffer = new byte[64 * 1024];
        long seen = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            reader.detectBinary(buffer, n, seen);
            for (int i = 0; i < n; i++) {
                reader.accept(buffer[i]);
            }
            seen += n;
        }
        return reader.page(path, size, offset);
    }

    private void detectBinary(byte[] bytes, int length, long seen) {
        for (int i = 0; i < length && seen + i < BINARY_CHECK_BYTES; i++) {
            binary |= bytes[i] == 0;
        }
    }

    private void accept(byte next) {
        inLine = next != '\n';
        boolean isRequested = line >= from && line < to && !isFull;
        if (isRequested) {
            append(next);
        }
        if (!inLine) {
            line++;
        }
    }

    private void append(byte next) {
        if (kept.size() == MAX_CONTENT) {
            isFull = true;
            count = Math.max(count, 1); // a truncated single line counts as returned
            return;
        }
        kept.write(next);
        if (next == '\n') {
            count++;
            completeBytes = kept.size();
        }
    }

    private TextPage page(String path, long size, int offset) {
        int lines = line + (inLine ? 1 : 0);
        if (binary) {
            return new TextPage(path, "", size, lines, offset, 0, true);
        }
        if (isFull && completeBytes > 0) {
            var text = new String(kept.toByteArray(), 0, completeBytes, StandardCharsets.UTF_8);
            return new TextPage(path, text, size, lines, offset, count, false);
        }
        boolean endsInLine = inLine && !isFull && line >= from && line < to;
        return new TextPage(
                path,
                kept.toString(StandardCharsets.UTF_8),
                size,
                lines,
                offset,
                count + (endsInLine ? 1 : 0),
                false);
    }
}
