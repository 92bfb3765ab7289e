package dev.ash.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A JSON response body that is buffered while it is short, and streamed otherwise. */
final class JsonResponse extends OutputStream {
    private static final int MAX_BUFFERED = 32 * 1024;

    private final JettyExchange exchange;
    private final int status;
    private byte[] buffer = new byte[1024];
    private int length;
    private @Nullable OutputStream stream;
    private boolean closed;

    JsonResponse(JettyExchange exchange, int status) {
        this.exchange = exchange;
        this.status = status;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (stream == null && length + count > MAX_BUFFERED) {
            stream = exchange.stream(status, JettyExchange.JSON);
            stream.write(buffer, 0, length);
            buffer = new byte[0];
        }
        if (stream != null) {
            stream.write(bytes, offset, count);
            return;
        }
        if (length + count > buffer.length) {
            buffer = java.util.Arrays.copyOf(buffer, Math.max(2 * buffer.length, length + count));
        }
        System.arraycopy(bytes, offset, buffer, length, count);
        length += count;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (stream != null) {
            stream.close();
        } else {
            exchange.respond(status, ByteBuffer.wrap(buffer, 0, length));
        }
    }
}
