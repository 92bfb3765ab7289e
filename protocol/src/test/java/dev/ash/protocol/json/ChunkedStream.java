package dev.ash.protocol.json;

import java.io.InputStream;
import java.util.List;

/** An input stream that returns its bytes in chunks of given sizes, like a socket. */
final class ChunkedStream extends InputStream {
    private final byte[] bytes;
    private final List<Integer> sizes;
    private int position;
    private int reads;

    /** The sizes are used cyclically. */
    ChunkedStream(byte[] bytes, List<Integer> sizes) {
        this.bytes = bytes;
        this.sizes = sizes;
    }

    @Override
    public int read() {
        return position == bytes.length ? -1 : bytes[position++] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        if (position == bytes.length) {
            return -1;
        }
        int max = Math.min(length, sizes.get(reads++ % sizes.size()));
        int count = Math.min(max, bytes.length - position);
        System.arraycopy(bytes, position, target, offset, count);
        position += count;
        return count;
    }
}
