package dev.ash.server.egress.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** What arrives on a connection: lines while heads are read, bytes while bodies are. */
final class HttpInput extends InputStream {
    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int at;
    private int end;

    HttpInput(InputStream in) {
        this.in = in;
    }

    /** Waits for the next byte; false if there is none any more. */
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

    /** Whatever has arrived, so that nothing waits for a buffer to fill. */
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
     * One line without its CR LF. A lone CR or LF is refused: two readers that disagree on where a
     * line ends disagree on where a request ends.
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
