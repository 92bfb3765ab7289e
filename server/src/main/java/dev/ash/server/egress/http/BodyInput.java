package dev.ash.server.egress.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;

/** Reads a body up to its declared end; an earlier end of the connection is an error. */
abstract sealed class BodyInput extends InputStream {
    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;

    /** Reads a body of a declared length. */
    static final class Length extends BodyInput {
        private final InputStream in;
        private long left;

        Length(InputStream in, long length) {
            this.in = in;
            this.left = length;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = in.read(bytes, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the connection ended " + left + " bytes before the body");
            }
            left -= count;
            return count;
        }
    }

    /** Decodes chunks. Reads extensions and trailers up to a limit and drops them. */
    static final class Chunks extends BodyInput {
        private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]++";

        /**
         * The size and well-formed extensions. Parsers disagree on blanks and unbalanced quotes,
         * and so on where the line ends.
         */
        private static final Pattern SIZE =
                Pattern.compile(
                        "([0-9A-Fa-f]{1,12})(?:;@(?:=(?:@|\"(?:[^\"\\\\]|\\\\.)*+\"))?+)*+"
                                .replace("@", TOKEN));

        private static final int MAX_LINE = 1024;

        private final HttpInput in;
        private long left;
        private boolean begun;
        private boolean ended;

        Chunks(HttpInput in) {
            this.in = in;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0; // must not wait for the next chunk
            }
            if (left == 0 && !ended) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int count = in.read(bytes, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the connection ended within a chunk");
            }
            left -= count;
            return count;
        }

        private void nextChunk() throws IOException {
            if (begun && !in.line(0).isEmpty()) {
                throw new BadMessageException("a chunk that is longer than it says");
            }
            begun = true;
            var matcher = SIZE.matcher(in.line(MAX_LINE));
            if (!matcher.matches()) {
                throw new BadMessageException("a chunk without a size");
            }
            left = Long.parseLong(matcher.group(1), 16);
            if (left == 0) {
                Headers.read(in, EgressLimits.MAX_HEAD_BYTES);
                ended = true;
            }
        }
    }
}
