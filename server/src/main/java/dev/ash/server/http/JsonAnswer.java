package dev.ash.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A body that is sent as a whole if it stays short, and otherwise while it is written. */
final class JsonAnswer extends OutputStream {
    private static final int SHORT = 32 * 1024;

    private final JettyExchange exchange;
    private final int status;
    private byte[] buffer = new byte[1024];
    private int length;
    private @Nullable OutputStream begun;
    private boolean closed;

    JsonAnswer(JettyExchange exchange, int status) {
        this.exchange = exchange;
        this.status = status;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (begun == null && length + count > SHORT) {
            begun = exchange.stream(status, JettyExchange.JSON);
            begun.write(buffer, 0, length);
            buffer = new byte[0];
        }
        if (begun != null) {
            begun.write(bytes, offset, count);
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
        if (begun != null) {
            begun.close();
        } else {
            exchange.answer(status, ByteBuffer.wrap(buffer, 0, length));
        }
    }
}
