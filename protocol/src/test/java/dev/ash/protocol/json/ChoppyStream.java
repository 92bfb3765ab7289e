package dev.ash.protocol.json;

import java.io.InputStream;
import java.util.List;

/** A stream that hands out its bytes in pieces of the given sizes, as sockets do. */
final class ChoppyStream extends InputStream {
    private final byte[] bytes;
    private final List<Integer> sizes;
    private int position;
    private int reads;

    /** The sizes are used in turn, again and again. */
    ChoppyStream(byte[] bytes, List<Integer> sizes) {
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
        int wanted = Math.min(length, sizes.get(reads++ % sizes.size()));
        int count = Math.min(wanted, bytes.length - position);
        System.arraycopy(bytes, position, target, offset, count);
        position += count;
        return count;
    }
}
