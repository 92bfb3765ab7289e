package dev.ash.server.egress.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Buffers the input of a connection; reads the lines of message heads and the bytes of bodies. */
final class HttpInput extends InputStream {
    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int position;
    private int end;

    HttpInput(InputStream in) {
        this.in = in;
    }

    /** Waits for the next byte; returns false at the end of the stream. */
    boolean hasMore() throws IOException {
        if (position == end) {
            position = 0;
            end = Math.max(0, in.read(buffer, 0, buffer.length));
        }
        return position < end;
    }

    /** Returns whether no byte is buffered. */
    boolean isEmpty() {
        return position == end;
    }

    @Override
    public int read() throws IOException {
        return hasMore() ? buffer[position++] & 0xFF : -1;
    }

    /** Returns the bytes that have arrived, without waiting for more. */
    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0; // must not wait
        }
        if (position == end && length >= buffer.length) {
            return in.read(bytes, offset, length);
        }
        if (!hasMore()) {
            return -1;
        }
        int count = Math.min(length, end - position);
        System.arraycopy(buffer, position, bytes, offset, count);
        position += count;
        return count;
    }

    /**
     * Reads one line without its CR LF. Rejects a lone CR or LF: parsers that disagree on the end
     * of a line disagree on the end of a request.
     */
    String readLine(int maxBytes) throws IOException {
        var line = new StringBuilder();
        while (true) {
            int b = read();
            if (b < 0) {
                throw new EOFException("the connection was closed within a line");
            }
            if (b == '\r') {
                if (read() != '\n') {
                    throw new BadMessageException("a CR without LF");
                }
                return line.toString();
            }
            if ((b < ' ' && b != '\t') || b == 0x7F) {
                throw new BadMessageException(
                        b == '\n' ? "a line that ends with LF only" : "a control character");
            }
            if (line.length() == maxBytes) {
                throw new BadMessageException("a line or header section that is too large", 431);
            }
            line.append((char) b);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
