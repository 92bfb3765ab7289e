package dev.ash.server.repository;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads a file once: counts its lines and keeps those that are asked for. */
final class LineReader {
    /** How much of a file is shown at a time; one line that is longer is cut. */
    static final int MAX_CONTENT = 1024 * 1024;

    /** As far as git looks too. */
    private static final int MAX_LOOK = 8000;

    private final long from;
    private final long to;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private int line;
    private boolean inLine;
    private int count;
    private int whole;
    private boolean full;
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
            reader.look(buffer, n, seen);
            for (int i = 0; i < n; i++) {
                reader.take(buffer[i]);
            }
            seen += n;
        }
        return reader.page(path, size, offset);
    }

    private void look(byte[] bytes, int length, long seen) {
        for (int i = 0; i < length && seen + i < MAX_LOOK; i++) {
            binary |= bytes[i] == 0;
        }
    }

    private void take(byte next) {
        inLine = next != '\n';
        boolean wanted = line >= from && line < to && !full;
        if (wanted) {
            keep(next);
        }
        if (!inLine) {
            line++;
        }
    }

    private void keep(byte next) {
        if (kept.size() == MAX_CONTENT) {
            full = true;
            count = Math.max(count, 1); // a line alone that is too long counts as shown
            return;
        }
        kept.write(next);
        if (next == '\n') {
            count++;
            whole = kept.size();
        }
    }

    private TextPage page(String path, long size, int offset) {
        int lines = line + (inLine ? 1 : 0);
        if (binary) {
            return new TextPage(path, "", size, lines, offset, 0, true);
        }
        if (full && whole > 0) {
            var text = new String(kept.toByteArray(), 0, whole, StandardCharsets.UTF_8);
            return new TextPage(path, text, size, lines, offset, count, false);
        }
        boolean endsInLine = inLine && !full && line >= from && line < to;
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
