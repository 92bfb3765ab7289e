package dev.ash.server.egress.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Reads a body up to its declared end; throws an exception if the connection ends earlier. */
abstract sealed class BodyInput extends InputStream {
    private static final int MAX_INITIAL_BUFFER = 1024 * 1024;

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;

    /** Allocates memory as bytes arrive: a declared length alone must not allocate much. */
    static byte[] readAll(
            InputStream in, long expected, int maxBytes, ProxyExchange.ByteCounter counter)
            throws IOException, ProxyException {
        // One extra byte, to detect the end of the stream without growing the buffer.
        var bytes = new byte[(int) Math.min(expected, MAX_INITIAL_BUFFER) + 1];
        int size = 0;
        for (int count = in.read(bytes, 0, bytes.length);
                count >= 0;
                count = in.read(bytes, size, bytes.length - size)) {
            size += count;
            if (size > maxBytes) {
                throw ProxyException.tooLarge(maxBytes);
            }
            counter.add(count);
            if (size == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * size);
            }
        }
        return Arrays.copyOf(bytes, size);
    }

    /** Reads a body of a declared length. */
    static final class Length extends BodyInput {
        private final InputStream in;
        private long remaining;

        Length(InputStream in, long length) {
            this.in = in;
            this.remaining = length;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (remaining == 0) {
                return -1;
            }
            int count = in.read(bytes, offset, (int) Math.min(length, remaining));
            if (count < 0) {
                throw new EOFException(
                        "the connection was closed %d bytes before the end of the body"
                                .formatted(remaining));
            }
            remaining -= count;
            return count;
        }
    }

    /** Decodes a chunked body; reads extensions and trailers up to a limit and discards them. */
    static final class Chunks extends BodyInput {
        private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

        /**
         * The size and well-formed extensions. Parsers handle blanks and unbalanced quotes
         * differently, and so disagree on the end of the line.
         */
        private static final Pattern SIZE_LINE =
                Pattern.compile(
                        "([0-9A-Fa-f]{1,12})(?:;@(?:=(?:@|\"(?:[^\"\\\\]|\\\\.)*+\"))?+)*+"
                                .replace("@", TOKEN));

        private static final int MAX_LINE = 1024;

        private final HttpInput in;
        private long remaining;
        private boolean started;
        private boolean ended;

        Chunks(HttpInput in) {
            this.in = in;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0; // must not wait for the next chunk
            }
            if (remaining == 0 && !ended) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int count = in.read(bytes, offset, (int) Math.min(length, remaining));
            if (count < 0) {
                throw new EOFException("the connection was closed within a chunk");
            }
            remaining -= count;
            return count;
        }

        private void nextChunk() throws IOException {
            if (started && !in.readLine(0).isEmpty()) {
                throw new BadMessageException("a chunk longer than its declared size");
            }
            started = true;
            var matcher = SIZE_LINE.matcher(in.readLine(MAX_LINE));
            if (!matcher.matches()) {
                throw new BadMessageException("an invalid chunk size");
            }
            remaining = Long.parseLong(matcher.group(1), 16);
            if (remaining == 0) {
                Headers.read(in, EgressLimits.MAX_HEAD_BYTES);
                ended = true;
            }
        }
    }
}
