package dev.ash.server.workspace;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a stream up to a maximum number of bytes. */
final class BoundedInputStream extends FilterInputStream {
    private long remaining;

    BoundedInputStream(InputStream in, long length) {
        super(in);
        remaining = length;
    }

    /** Returns the number of bytes that have not been read. */
    long remaining() {
        return remaining;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (remaining <= 0) {
            return -1;
        }
        int count = super.read(bytes, offset, (int) Math.min(length, remaining));
        remaining -= Math.max(count, 0);
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = super.skip(Math.min(count, remaining));
        remaining -= skipped;
        return skipped;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(super.available(), remaining);
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
