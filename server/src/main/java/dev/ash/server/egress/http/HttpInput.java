package dev.ash.server.egress.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Buffers the input of a connection: lines of heads, and bytes of bodies. */
final class HttpInput extends InputStream {
    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int at;
    private int end;

    HttpInput(InputStream in) {
        this.in = in;
    }

    /** Waits for the next byte; false at the end of the stream. */
    boolean more() throws IOException {
        if (at == end) {
            at = 0;
            end = Math.max(0, in.read(buffer, 0, buffer.length));
        }
        return at < end;
    }

    @Override
    public int read() throws IOException {
        return more() ? buffer[at++] & 0xFF : -1;
    }

    /** Returns the bytes that have arrived, without waiting for more. */
    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0; // must not wait
        }
        if (at == end && length >= buffer.length) {
            return in.read(bytes, offset, length);
        }
        if (!more()) {
            return -1;
        }
        int count = Math.min(length, end - at);
        System.arraycopy(buffer, at, bytes, offset, count);
        at += count;
        return count;
    }

    /**
     * Reads one line without its CR LF. Rejects a lone CR or LF: parsers that disagree on the end
     * of a line disagree on the end of a request.
     */
    String line(int maxBytes) throws IOException {
        var line = new StringBuilder();
        while (true) {
            int b = read();
            if (b < 0) {
                throw new EOFException("the connection ended within a line");
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
                throw new BadMessageException("a head or line that is too large", 431);
            }
            line.append((char) b);
        }
    }

    static byte[] bytes(String latin) {
        return latin.getBytes(StandardCharsets.ISO_8859_1);
    }
}
