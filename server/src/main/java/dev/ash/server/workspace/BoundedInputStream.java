package dev.ash.server.workspace;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The first so many bytes of a stream. */
final class BoundedInputStream extends FilterInputStream {
    private long left;

    BoundedInputStream(InputStream in, long length) {
        super(in);
        left = length;
    }

    /** How many bytes are missing to the whole. */
    long left() {
        return left;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (left <= 0) {
            return -1;
        }
        int count = super.read(bytes, offset, (int) Math.min(length, left));
        left -= Math.max(count, 0);
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = super.skip(Math.min(count, left));
        left -= skipped;
        return skipped;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(super.available(), left);
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
