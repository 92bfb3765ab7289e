package dev.ash.sdk;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a body of known length. Fails if the stream ends before that length. */
final class FixedLengthInputStream extends FilterInputStream {
    private long remaining;

    FixedLengthInputStream(InputStream in, long length) {
        super(in);
        this.remaining = length;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (remaining <= 0) {
            return -1;
        }
        int count = in.read(bytes, offset, (int) Math.min(length, remaining));
        if (count < 0) {
            throw new EOFException("body truncated, " + remaining + " bytes missing");
        }
        remaining -= count;
        return count;
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(in.available(), remaining);
    }

    @Override
    public long skip(long count) throws IOException {
        long skipped = in.skip(Math.min(count, remaining));
        remaining -= skipped;
        return skipped;
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
