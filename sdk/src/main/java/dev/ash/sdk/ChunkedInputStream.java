package dev.ash.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** A body in chunks: to end without the last, empty chunk is a failure, not an end. */
final class ChunkedInputStream extends InputStream {
    private static final int MAX_SIZE_LINE = 1024;

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
            throw cutOff();
        }
        remaining -= count;
        return count;
    }

    private boolean nextChunk() throws IOException {
        if (ended) {
            return false;
        }
        if (insideChunk && !line().isEmpty()) {
            throw new IOException("a chunk longer than it said");
        }
        remaining = size(line());
        insideChunk = true;
        if (remaining > 0) {
            return true;
        }
        ended = true;
        for (var trailer = line(); !trailer.isEmpty(); trailer = line()) {
            // Trailers tell nothing that we use.
        }
        return false;
    }

    private static long size(String line) throws IOException {
        int extension = line.indexOf(';');
        var digits = (extension < 0 ? line : line.substring(0, extension)).strip();
        try {
            long size = Long.parseLong(digits, 16);
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new IOException("a chunk without a size");
    }

    private String line() throws IOException {
        try {
            return HttpHead.readLine(in, MAX_SIZE_LINE);
        } catch (EOFException e) {
            throw cutOff();
        }
    }

    private static EOFException cutOff() {
        return new EOFException("cut off before its end");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
