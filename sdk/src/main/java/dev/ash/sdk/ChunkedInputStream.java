package dev.ash.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;

/** Decodes a chunked body. Fails if the stream ends before the last, empty chunk. */
final class ChunkedInputStream extends InputStream {
    private static final int MAX_SIZE_LINE = 1024;
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

    /** Chunk size and well-formed extensions. */
    private static final Pattern SIZE =
            Pattern.compile(
                    "([0-9A-Fa-f]{1,12})(?:;@(?:=(?:@|\"(?:[^\"\\\\]|\\\\.)*+\"))?+)*+"
                            .replace("@", TOKEN));

    private final InputStream in;
    private long remaining;
    private boolean insideChunk;
    private boolean ended;

    ChunkedInputStream(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (remaining == 0 && !nextChunk()) {
            return -1;
        }
        int count = in.read(bytes, offset, (int) Math.min(length, remaining));
        if (count < 0) {
            throw truncated();
        }
        remaining -= count;
        return count;
    }

    private boolean nextChunk() throws IOException {
        if (ended) {
            return false;
        }
        if (insideChunk && !readLine().isEmpty()) {
            throw new IOException("chunk data exceeds the chunk size");
        }
        remaining = parseSize(readLine());
        insideChunk = true;
        if (remaining > 0) {
            return true;
        }
        ended = true;
        skipTrailers();
        return false;
    }

    /** Reads and ignores the trailers, to find the end of the body. */
    private void skipTrailers() throws IOException {
        try {
            HttpHead.headers(in, HttpHead.MAX_BYTES);
        } catch (EOFException e) {
            throw truncated();
        }
    }

    private static long parseSize(String line) throws IOException {
        var size = SIZE.matcher(line);
        if (!size.matches()) {
            throw new IOException("invalid chunk size");
        }
        return Long.parseLong(size.group(1), 16);
    }

    private String readLine() throws IOException {
        try {
            return HttpHead.readLine(in, MAX_SIZE_LINE);
        } catch (EOFException e) {
            throw truncated();
        }
    }

    private static EOFException truncated() {
        return new EOFException("body truncated");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
